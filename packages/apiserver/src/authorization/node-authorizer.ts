import { FeatureGates, type UserInfo } from '@coxswain/api';
import { fields, quote } from '@coxswain/apimachinery';
import type {
  AuthorizationAttributes,
  Authorizer,
  Decision,
  SubjectRules,
} from '@coxswain/component-base/authorization';
import type { Listers } from '../registry/lister.ts';
import { type GraphKind, NodeGraph } from './node-graph.ts';
import { nodeIdentity } from './node-identity.ts';
import { PolicyRules, ruleRequest } from './policy-rules.ts';
import { nodeRules } from './rbac-policy/rbac-policy.ts';

/** True: allowed. A string: the reason for no opinion, which may be empty. */
type Verdict = true | string;
type Check = (node: string, attributes: AuthorizationAttributes) => Verdict;

const leaseNamespace = 'kube-node-lease';
const ownVerbs = ['get', 'create', 'update', 'patch', 'delete'];

/**
 * Authorizes kubelets (`nodeIdentity`): they may read the objects that pods on their node need, and manage their own
 * objects. Has no opinion on other users and on what it does not allow, so that RBAC may allow it.
 */
export class NodeAuthorizer implements Authorizer {
  readonly synced: Promise<void>;
  readonly #graph: NodeGraph;
  readonly #rules: PolicyRules;
  /** By group and resource. All other requests are checked against `#rules`. */
  readonly #checks: ReadonlyMap<string, Check>;

  constructor(listers: Listers, gates: FeatureGates = FeatureGates.defaults) {
    this.#graph = new NodeGraph(listers, gates);
    this.synced = this.#graph.synced;
    this.#rules = new PolicyRules(nodeRules(gates));
    const mayGetServiceAccounts =
      gates.enabled('KubeletServiceAccountTokenForCredentialProviders') || gates.enabled('PodCertificateRequest');
    this.#checks = new Map<string, Check>([
      ['/secrets', (node, attributes) => this.#read(node, 'secret', attributes)],
      ['/configmaps', (node, attributes) => this.#read(node, 'configmap', attributes)],
      ['/persistentvolumeclaims', (node, attributes) => this.#claim(node, attributes)],
      ['/persistentvolumes', (node, attributes) => this.#get(node, 'pv', attributes)],
      ['/serviceaccounts', (node, attributes) => this.#serviceAccount(node, attributes, mayGetServiceAccounts)],
      ['/nodes', nodeObject],
      ['/pods', (node, attributes) => this.#pod(node, attributes)],
      ['resource.k8s.io/resourceclaims', (node, attributes) => this.#get(node, 'resourceclaim', attributes)],
      ['resource.k8s.io/resourceslices', (node, attributes) => this.#resourceSlice(node, attributes)],
      ['storage.k8s.io/volumeattachments', (node, attributes) => this.#get(node, 'volumeattachment', attributes)],
      ['storage.k8s.io/csinodes', csiNode],
      ['coordination.k8s.io/leases', lease],
      [
        'certificates.k8s.io/podcertificaterequests',
        gates.enabled('PodCertificateRequest')
          ? (node, attributes) => this.#podCertificateRequest(node, attributes)
          : () => '',
      ],
    ]);
  }

  close(): void {
    this.#graph.close();
  }

  async authorize(attributes: AuthorizationAttributes): Promise<Decision> {
    const node = nodeIdentity(attributes.user);
    const verdict = node === undefined ? '' : this.#judge(node, attributes);
    return verdict === true ? { decision: 'allow', reason: '' } : { decision: 'no opinion', reason: verdict };
  }

  async rulesFor(user: UserInfo): Promise<SubjectRules> {
    const rules = { resourceRules: [], nonResourceRules: [] };
    if (nodeIdentity(user) === undefined) return { ...rules, incomplete: false };
    return {
      ...rules,
      incomplete: true,
      evaluationError: 'node authorizer does not support user rule resolution',
    };
  }

  #judge(node: string, attributes: AuthorizationAttributes): Verdict {
    if (node === '') return `unknown node for user ${quote(attributes.user.username)}`;
    if (attributes.resourceRequest) {
      const check = this.#checks.get(`${attributes.apiGroup}/${attributes.resource}`);
      if (check) return check(node, attributes);
    }
    return this.#rules.allow(ruleRequest(attributes)) || '';
  }

  #related(node: string, kind: GraphKind, { namespace, name }: AuthorizationAttributes): Verdict {
    if (name === '') return 'No Object name found';
    return this.#graph.connects(node, kind, namespace, name) || unrelated(node);
  }

  #get(node: string, kind: GraphKind, attributes: AuthorizationAttributes): Verdict {
    if (attributes.verb !== 'get') return 'can only get individual resources of this type';
    if (attributes.subresource !== '') return 'cannot get subresource';
    return this.#related(node, kind, attributes);
  }

  /** Single objects, and lists and watches that select one object by name. */
  #read(node: string, kind: GraphKind, attributes: AuthorizationAttributes): Verdict {
    if (!['get', 'list', 'watch'].includes(attributes.verb)) return 'can only read resources of this type';
    if (attributes.subresource !== '') return 'cannot read subresource';
    if (attributes.namespace === '') return 'can only read namespaced object of this type';
    return this.#related(node, kind, attributes);
  }

  #claim(node: string, attributes: AuthorizationAttributes): Verdict {
    if (attributes.subresource !== 'status') return this.#get(node, 'pvc', attributes);
    if (!['update', 'patch'].includes(attributes.verb)) return 'can only get/update/patch this type';
    return this.#related(node, 'pvc', attributes);
  }

  #serviceAccount(node: string, attributes: AuthorizationAttributes, mayGet: boolean): Verdict {
    const { verb, subresource, namespace, name } = attributes;
    if (verb === 'get' && subresource === '') {
      return mayGet ? this.#read(node, 'serviceAccount', attributes) : 'not allowed to get service accounts';
    }
    if (verb !== 'create' || name === '') return 'can only create tokens for individual service accounts';
    if (subresource !== 'token') return 'can only create token subresource of serviceaccount';
    return this.#graph.connects(node, 'serviceAccount', namespace, name) || unrelated(node);
  }

  #resourceSlice(node: string, attributes: AuthorizationAttributes): Verdict {
    if (attributes.subresource !== '') return 'cannot authorize ResourceSlice subresources';
    switch (attributes.verb) {
      case 'create':
        // The NodeRestriction admission plugin checks that the slice is for the node.
        return true;
      case 'get':
      case 'update':
      case 'patch':
      case 'delete':
        return this.#related(node, 'resourceslice', attributes);
      case 'watch':
      case 'list':
      case 'deletecollection':
        return (
          selectsNode(attributes, node) ||
          'can only list/watch/deletecollection resourceslices with nodeName field selector'
        );
      default:
        return 'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection';
    }
  }

  #podCertificateRequest(node: string, attributes: AuthorizationAttributes): Verdict {
    const { verb, subresource } = attributes;
    if (subresource !== '') return 'nodes may not access the status subresource of PodCertificateRequests';
    if (verb === 'create') return true;
    if (verb === 'get') return this.#related(node, 'podcertificaterequest', attributes);
    if (verb !== 'list' && verb !== 'watch') return `nodes may not ${verb} podcertificaterequests`;
    return selectsNode(attributes, node) || 'can only list/watch podcertificaterequests with nodeName field selector';
  }

  /** The NodeRestriction admission plugin restricts writes to pods of the node. */
  #pod(node: string, attributes: AuthorizationAttributes): Verdict {
    const { verb, subresource, name } = attributes;
    if (subresource === 'status') return verb === 'update' || verb === 'patch' || '';
    if (subresource === 'eviction') return verb === 'create' || '';
    if (subresource !== '') return '';
    if (verb === 'create' || verb === 'delete') return true;
    if (verb === 'get') return this.#get(node, 'pod', attributes);
    if (verb !== 'list' && verb !== 'watch') return '';
    if (selectsNode(attributes, node)) return true;
    return name === ''
      ? 'can only list/watch pods with spec.nodeName field selector'
      : this.#related(node, 'pod', attributes);
  }
}

function nodeObject(node: string, { verb, subresource, name }: AuthorizationAttributes): Verdict {
  // The NodeRestriction admission plugin restricts writes to the node's own object.
  if (['update', 'patch'].includes(verb) && (subresource === '' || subresource === 'status')) return true;
  if (subresource !== '') return '';
  if (verb === 'create') return true;
  if (!['get', 'list', 'watch'].includes(verb)) return '';
  if (name === node) return true;
  return name === ''
    ? `node '${node}' cannot read all nodes, only its own Node object`
    : `node '${node}' cannot read '${name}', only its own Node object`;
}

function lease(node: string, { verb, namespace, name }: AuthorizationAttributes): Verdict {
  if (!ownVerbs.includes(verb)) return 'can only get, create, update, patch, or delete a node lease';
  if (namespace !== leaseNamespace) return `can only access leases in the "${leaseNamespace}" system namespace`;
  return isOwn(verb, name, node) || 'can only access node lease with the same name as the requesting node';
}

function csiNode(node: string, { verb, subresource, name }: AuthorizationAttributes): Verdict {
  if (!ownVerbs.includes(verb)) return 'can only get, create, update, patch, or delete a CSINode';
  if (subresource !== '') return 'cannot authorize CSINode subresources';
  return isOwn(verb, name, node) || 'can only access CSINode with the same name as the requesting node';
}

/** The name of a created object is not known here; the NodeRestriction admission plugin checks it. */
const isOwn = (verb: string, name: string, node: string): boolean => verb === 'create' || name === node;

const unrelated = (node: string): string => `no relationship found between node '${node}' and this object`;

/** Whether the field selector restricts a list to objects of the node. */
function selectsNode({ fieldSelector }: AuthorizationAttributes, node: string): boolean {
  if (!fieldSelector) return false;
  try {
    return fields
      .parse(fieldSelector)
      .requirements()
      .some(({ field, operator, value }) => field === 'spec.nodeName' && operator === '=' && value === node);
  } catch {
    // The endpoint rejects the selector, when the request is authorized otherwise.
    return false;
  }
}
