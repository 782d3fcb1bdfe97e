import type { UserInfo } from '@coxswain/api';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef } from '@coxswain/api/rbac/v1';
import { quote } from '@coxswain/apimachinery';
import type {
  AuthorizationAttributes,
  Authorizer,
  Decision,
  SubjectRules,
} from '@coxswain/component-base/authorization';
import { aggregateMessage } from '@coxswain/component-base/authorization';
import type { Lister, Listers } from '../registry/lister.ts';
import { type Following, follow } from './follow.ts';
import { PolicyRules, ruleRequest } from './policy-rules.ts';
import { type Binding, SubjectIndex } from './subject-index.ts';

const group = 'rbac.authorization.k8s.io';
const noOpinion: Decision = { decision: 'no opinion', reason: '' };

/** The RBAC rules of a user, and references to roles that do not exist. */
export interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  readonly missing: readonly RoleRef[];
}

/**
 * Allows what the roles allow that are bound to the user or its groups, and has no opinion on other requests. Bindings
 * are indexed by subject, and rules by resource, so that the cost of a request does not depend on bindings of other
 * users.
 */
export class RbacAuthorizer implements Authorizer {
  /** Resolves when everything stored at the start is taken into account. */
  readonly synced: Promise<void>;
  readonly #clusterRoles: Lister<ClusterRole>;
  readonly #roles: Lister<Role>;
  readonly #clusterBindings = new SubjectIndex('');
  readonly #namespaces = new Map<string, SubjectIndex>();
  /** Cached by object: listers replace changed objects and never modify them. */
  readonly #prepared = new WeakMap<ClusterRole | Role, PolicyRules>();
  readonly #followings: readonly Following[];

  constructor(listers: Listers) {
    this.#clusterRoles = listers.lister<ClusterRole>(group, 'clusterroles');
    this.#roles = listers.lister<Role>(group, 'roles');
    this.#followings = [
      follow(listers.lister<ClusterRoleBinding>(group, 'clusterrolebindings'), (_, name, binding) =>
        this.#clusterBindings.set(name, binding),
      ),
      follow(listers.lister<RoleBinding>(group, 'rolebindings'), (namespace, name, binding) =>
        this.#setRoleBinding(namespace, name, binding),
      ),
    ];
    this.synced = Promise.all([
      this.#clusterRoles.synced,
      this.#roles.synced,
      ...this.#followings.map(({ synced }) => synced),
    ]).then(() => undefined);
  }

  close(): void {
    for (const { stop } of this.#followings) stop();
  }

  async authorize(attributes: AuthorizationAttributes): Promise<Decision> {
    const { user, namespace } = attributes;
    const request = ruleRequest(attributes);
    let missing: Binding[] | undefined;
    for (const index of this.#indexesFor(namespace)) {
      for (const { binding } of index.bindingsFor(user)) {
        const role = this.#role(binding.roleRef, binding.metadata.namespace ?? '');
        if (role === undefined) {
          missing ??= [];
          missing.push(binding);
        } else if (this.#rulesOf(role).allow(request)) {
          return { decision: 'allow', reason: `RBAC: allowed by ${describe(binding, index, user)}` };
        }
      }
    }
    if (missing === undefined) return noOpinion;
    const messages = missing.sort(byScopeAndName).map(({ roleRef }) => missingRole(roleRef));
    return { decision: 'no opinion', reason: `RBAC: ${aggregateMessage(messages)}` };
  }

  async rulesFor(user: UserInfo, namespace: string): Promise<SubjectRules> {
    const { rules, missing } = this.resolveRules(user, namespace);
    const error = aggregateMessage(missing.map(missingRole));
    return {
      resourceRules: rules.flatMap(({ verbs, apiGroups = [], resources = [], resourceNames }) =>
        resources.length > 0 ? { verbs, apiGroups, resources, ...(resourceNames?.length && { resourceNames }) } : [],
      ),
      nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
        nonResourceURLs.length > 0 ? { verbs, nonResourceURLs } : [],
      ),
      incomplete: false,
      ...(error && { evaluationError: error }),
    };
  }

  /** All rules for the user in the namespace: first of ClusterRoleBindings, each sorted by binding name. */
  resolveRules(user: UserInfo, namespace: string): ResolvedRules {
    const rules: PolicyRule[] = [];
    const missing: RoleRef[] = [];
    for (const index of this.#indexesFor(namespace)) {
      const bindings = new Set(Array.from(index.bindingsFor(user), ({ binding }) => binding));
      for (const { roleRef, metadata } of [...bindings].sort(byScopeAndName)) {
        const resolved = this.rulesOfRole(roleRef, metadata.namespace ?? '');
        if (resolved) rules.push(...resolved);
        else missing.push(roleRef);
      }
    }
    return { rules, missing };
  }

  /**
   * Returns undefined when the role does not exist. `namespace`: that of the binding, empty for a ClusterRoleBinding.
   */
  rulesOfRole(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const role = this.#role(roleRef, namespace);
    return role && (role.rules ?? []);
  }

  #setRoleBinding(namespace: string, name: string, binding: RoleBinding | undefined): void {
    let index = this.#namespaces.get(namespace);
    if (!index) {
      if (!binding) return;
      index = new SubjectIndex(namespace);
      this.#namespaces.set(namespace, index);
    }
    index.set(name, binding);
    if (index.isEmpty) this.#namespaces.delete(namespace);
  }

  #indexesFor(namespace: string): readonly SubjectIndex[] {
    const index = namespace === '' ? undefined : this.#namespaces.get(namespace);
    return index ? [this.#clusterBindings, index] : [this.#clusterBindings];
  }

  #role({ kind, name }: RoleRef, namespace: string): ClusterRole | Role | undefined {
    if (kind === 'ClusterRole') return this.#clusterRoles.get('', name);
    return kind === 'Role' ? this.#roles.get(namespace, name) : undefined;
  }

  #rulesOf(role: ClusterRole | Role): PolicyRules {
    let rules = this.#prepared.get(role);
    if (!rules) {
      rules = new PolicyRules(role.rules ?? []);
      this.#prepared.set(role, rules);
    }
    return rules;
  }
}

function missingRole({ kind, name }: RoleRef): string {
  return kind === 'Role' || kind === 'ClusterRole'
    ? `${kind.toLowerCase()}.${group} ${quote(name)} not found`
    : `unsupported role reference kind: ${quote(kind)}`;
}

function describe(binding: Binding, index: SubjectIndex, user: UserInfo): string {
  const { name = '', namespace } = binding.metadata;
  const { roleRef } = binding;
  const subject = index.firstSubject(user, binding);
  const kind = namespace ? 'RoleBinding' : 'ClusterRoleBinding';
  const who =
    subject?.kind === 'ServiceAccount'
      ? `${subject.name}/${subject.namespace || (namespace ?? '')}`
      : (subject?.name ?? '');
  const of = `${quote(namespace ? `${name}/${namespace}` : name)} of ${roleRef.kind} ${quote(roleRef.name)}`;
  return `${kind} ${of} to ${subject?.kind} ${quote(who)}`;
}

const scopeAndName = ({ metadata }: Binding): string => `${metadata.namespace ?? ''}/${metadata.name}`;

function byScopeAndName(a: Binding, b: Binding): number {
  const [left, right] = [scopeAndName(a), scopeAndName(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
