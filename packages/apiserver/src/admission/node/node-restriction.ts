import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import type { Node, PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import type { Eviction } from '@coxswain/api/policy/v1';
import type { ResourceSlice } from '@coxswain/api/resource/v1';
import { labels, quote, semanticEqual } from '@coxswain/apimachinery';
import { nodeIdentity } from '../../authorization/node-identity.ts';
import type { AdmissionAttributes, AdmissionPlugin, Operation } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import { signingRequestSubject } from '../certificates/signing-request-subject.ts';
import { cachedObject } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { isMirrorPod, mirrorPodAnnotation } from '../pod/mirror-pod.ts';
import { apiReferenceOf } from '../pod/pod-api-reference.ts';
import { forbiddenNodeLabels } from './node-labels.ts';
import { checkPodCertificateRequest } from './node-pod-certificate-request.ts';
import { checkNodeToken } from './node-token-request.ts';

/** A write by a node. */
interface NodeWrite {
  readonly attributes: AdmissionAttributes;
  readonly nodeName: string;
  readonly context: AdmissionContext;
}

/** Throws an ApiError to reject the write. */
type Check = (write: NodeWrite) => Promise<void> | void;

/**
 * Restricts writes of nodes to their own objects and those of their pods. The authorizer allows them to write at all.
 */
export function nodeRestriction(context: AdmissionContext): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    async admit(attributes) {
      const nodeName = nodeIdentity(attributes.user);
      if (nodeName === undefined) return;
      if (nodeName === '')
        throw admissionForbidden(attributes, `could not determine node from user ${quote(attributes.user.username)}`);
      await checks.get(`${attributes.resource.groupResource}`)?.({ attributes, nodeName, context });
    },
  };
}

const refuse = ({ attributes }: NodeWrite, why: string): never => {
  throw admissionForbidden(attributes, why);
};

const only =
  (operation: Operation, check: Check): Check =>
  (write) =>
    write.attributes.operation === operation
      ? check(write)
      : refuse(write, `unexpected operation ${quote(write.attributes.operation)}`);

const podOf = ({ attributes, context }: NodeWrite, name: string): Promise<Pod> =>
  cachedObject<Pod>(context, '', 'pods', attributes.namespace, name);

const checkPod: Check = async (write) => {
  const { attributes, nodeName } = write;
  switch (attributes.operation) {
    case 'CREATE':
      return checkMirrorPod(write, attributes.object as Pod);
    case 'DELETE': {
      const pod = await podOf(write, attributes.name);
      if (pod.spec?.nodeName !== nodeName)
        refuse(write, `node ${quote(nodeName)} can only delete pods with spec.nodeName set to itself`);
      return;
    }
    default:
      refuse(
        write,
        `unexpected operation ${quote(attributes.operation)}, node ${quote(nodeName)} can only create and delete mirror pods`,
      );
  }
};

async function checkMirrorPod(write: NodeWrite, pod: Pod): Promise<void> {
  const { nodeName, context } = write;
  const node = quote(nodeName);
  if (!isMirrorPod(pod))
    refuse(
      write,
      `pod does not have ${quote(mirrorPodAnnotation)} annotation, node ${node} can only create mirror pods`,
    );
  if (pod.spec?.nodeName !== nodeName)
    refuse(write, `node ${node} can only create pods with spec.nodeName set to itself`);
  const [owner, ...others] = pod.metadata.ownerReferences ?? [];
  if (others.length > 0) refuse(write, `node ${node} can only create pods with a single owner reference set to itself`);
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName)
    return refuse(write, `node ${node} can only create pods with an owner reference set to itself`);
  if (!owner.controller)
    refuse(write, `node ${node} can only create pods with a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion) refuse(write, `node ${node} must not set blockOwnerDeletion on an owner reference`);
  const { uid } = (await cachedObject<Node>(context, '', 'nodes', '', nodeName)).metadata;
  if (owner.uid !== uid) refuse(write, `node ${nodeName} UID mismatch: expected ${owner.uid} got ${uid}`);
  const reference = apiReferenceOf(pod);
  if (reference !== undefined)
    refuse(write, reference.problem ?? `node ${node} can not create pods that reference ${reference.to}`);
}

const checkPodStatus: Check = (write) => {
  const { attributes, nodeName } = write;
  const node = quote(nodeName);
  const [pod, old] = [attributes.object as Pod, attributes.oldObject as Pod];
  if (old.spec?.nodeName !== nodeName)
    refuse(write, `node ${node} can only update pod status for pods with spec.nodeName set to itself`);
  if (!labels.equals(old.metadata.labels ?? {}, pod.metadata.labels ?? {}))
    refuse(write, `node ${node} cannot update labels through pod status`);
  if (!semanticEqual(old.status?.resourceClaimStatuses, pod.status?.resourceClaimStatuses))
    refuse(write, `node ${node} cannot update resource claim statues`);
  if (!semanticEqual(old.status?.extendedResourceClaimStatus, pod.status?.extendedResourceClaimStatus))
    refuse(write, `node ${node} cannot update extended resource claim status`);
};

const checkEviction: Check = async (write) => {
  const { attributes, nodeName } = write;
  if (attributes.operation !== 'CREATE') refuse(write, `unexpected operation ${attributes.operation}`);
  const name = attributes.name || (attributes.object as Eviction).metadata?.name || '';
  if (name === '') refuse(write, 'could not determine pod from request data');
  const pod = await podOf(write, name);
  if (pod.spec?.nodeName !== nodeName)
    refuse(write, `node ${nodeName} can only evict pods with spec.nodeName set to itself`);
};

const podChecks = new Map<string, Check>([
  ['', checkPod],
  ['status', only('UPDATE', checkPodStatus)],
  ['eviction', checkEviction],
]);

const checkPods: Check = (write) => {
  const { subresource } = write.attributes;
  const check = podChecks.get(subresource);
  if (!check)
    return refuse(write, `unexpected pod subresource ${quote(subresource)}, only 'status' and 'eviction' are allowed`);
  return check(write);
};

const checkClaimStatus: Check = (write) => {
  const { attributes, nodeName } = write;
  const [claim, old] = [attributes.object, attributes.oldObject].map((object) =>
    withoutNodesFields(object as PersistentVolumeClaim),
  );
  // Differs from upstream: its message also contains the diff.
  if (!semanticEqual(claim, old))
    refuse(
      write,
      `node ${quote(nodeName)} is not allowed to update fields other than status.quantity and status.conditions`,
    );
};

/** The claim without the fields that a node may change. */
function withoutNodesFields({ metadata, status, ...claim }: PersistentVolumeClaim): object {
  const { resourceVersion: _, managedFields: __, ...meta } = metadata;
  const { capacity: _c, conditions: _d, allocatedResources: _e, allocatedResourceStatuses: _f, ...rest } = status ?? {};
  return { ...claim, metadata: meta, status: rest };
}

const checkClaims: Check = (write) =>
  write.attributes.subresource === 'status'
    ? only('UPDATE', checkClaimStatus)(write)
    : refuse(write, 'may only update PVC status');

const checkNode: Check = (write) => {
  const { attributes, nodeName } = write;
  const { operation, name } = attributes;
  const subject = `node ${quote(nodeName)} is not allowed to`;
  if (name !== nodeName) refuse(write, `${subject} modify node ${quote(name)}`);
  if (operation === 'DELETE') return;
  const [node, old] = [attributes.object as Node, attributes.oldObject as Node | undefined];
  const { configSource, taints } = node.spec ?? {};
  const labelled = forbiddenNodeLabels(node.metadata.labels, old?.metadata.labels).join(', ');
  if (!old) {
    if (configSource) refuse(write, `${subject} create pods with a non-nil configSource`);
    if (labelled) refuse(write, `${subject} set the following labels: ${labelled}`);
    return;
  }
  if (configSource && !semanticEqual(configSource, old.spec?.configSource))
    refuse(write, `${subject} update configSource to a new non-nil configSource`);
  // By removing its taints, a node could get pods that must not run on it.
  if (!semanticEqual(taints, old.spec?.taints)) refuse(write, `${subject} modify taints`);
  if (!semanticEqual(node.metadata.ownerReferences, old.metadata.ownerReferences))
    refuse(write, `${subject} modify ownerReferences`);
  if (labelled) refuse(write, `is not allowed to modify labels: ${labelled}`);
};

const checkServiceAccount: Check = async ({ attributes, nodeName, context }) => {
  if (attributes.operation === 'CREATE' && attributes.subresource === 'token')
    await checkNodeToken(attributes, nodeName, context);
};

const leaseNamespace = 'kube-node-lease';

/** Checks that the object has the node's name. */
const ownName = (why: string): Check => {
  return (write) => {
    const { operation, name, object } = write.attributes;
    if ((operation === 'CREATE' ? object?.metadata?.name : name) !== write.nodeName) refuse(write, why);
  };
};

const checkLeaseName = ownName('can only access node lease with the same name as the requesting node');

const checkLease: Check = (write) =>
  write.attributes.namespace === leaseNamespace
    ? checkLeaseName(write)
    : refuse(write, `can only access leases in the ${quote(leaseNamespace)} system namespace`);

const checkResourceSlice: Check = (write) => {
  const { operation, object, oldObject } = write.attributes;
  if (operation === 'UPDATE') return;
  const slice = (operation === 'CREATE' ? object : oldObject) as ResourceSlice;
  if (slice.spec.nodeName !== write.nodeName)
    refuse(write, `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`);
};

const kubeletSigners: ReadonlySet<string> = new Set([
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
]);

const checkCertificateRequest: Check = (write) => {
  const { attributes, nodeName, context } = write;
  if (attributes.operation !== 'CREATE') return;
  if (context.features.enabled('AllowInsecureKubeletCertificateSigningRequests')) return;
  if (!kubeletSigners.has((attributes.object as CertificateSigningRequest).spec.signerName)) return;
  const commonName = `system:node:${nodeName}`;
  const subject = signingRequestSubject(attributes, 'unable to parse csr');
  if (subject.commonName !== commonName) refuse(write, `can only create a node CSR with CN=${commonName}`);
};

/** By resource. Writes to other resources are not restricted. */
const checks: ReadonlyMap<string, Check> = new Map([
  ['pods', checkPods],
  ['nodes', checkNode],
  ['persistentvolumeclaims', checkClaims],
  ['serviceaccounts', checkServiceAccount],
  [
    'podcertificaterequests.certificates.k8s.io',
    ({ attributes, nodeName, context }) => checkPodCertificateRequest(attributes, nodeName, context),
  ],
  ['leases.coordination.k8s.io', checkLease],
  ['csinodes.storage.k8s.io', ownName('can only access CSINode with the same name as the requesting node')],
  ['resourceslices.resource.k8s.io', checkResourceSlice],
  ['certificatesigningrequests.certificates.k8s.io', checkCertificateRequest],
]);
