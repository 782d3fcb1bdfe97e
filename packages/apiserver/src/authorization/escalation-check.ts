import type { UserInfo } from '@coxswain/api';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef } from '@coxswain/api/rbac/v1';
import {
  type ApiError,
  GroupResource,
  type KubernetesObject,
  newForbidden,
  newNotFound,
  quote,
  semanticEqual,
} from '@coxswain/apimachinery';
import type { Authorizer } from '@coxswain/component-base/authorization';
import { aggregateMessage, privilegedGroup } from '@coxswain/component-base/authorization';
import type { RbacAuthorizer } from './rbac-authorizer.ts';
import { resourceAttributes } from './resource-attributes.ts';
import { describeRules, quoteList, uncoveredRules } from './rule-coverage.ts';

const group = 'rbac.authorization.k8s.io';
const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export interface EscalationContext {
  readonly user: UserInfo;
  /** Of the request; empty for cluster roles and their bindings. */
  readonly namespace: string;
  readonly authorizer: Authorizer;
  readonly rbac: RbacAuthorizer;
}

/**
 * Nobody may create a role that allows more than they may do themselves, or change one so: unless they may `escalate`
 * it, which is how the aggregation of cluster roles works. `old` is absent for a creation; `requestName` is the name in
 * the path, empty for a POST.
 * Gives the error to refuse it with. To be called before validation, where upstream does.
 */
export async function checkRoleEscalation(
  context: EscalationContext,
  resource: 'clusterroles' | 'roles',
  requestName: string,
  role: ClusterRole | Role,
  old?: ClusterRole | Role,
): Promise<ApiError | undefined> {
  const { user, namespace } = context;
  if (isPrivileged(user)) return undefined;
  const escalate = { user, verb: 'escalate', apiGroup: group, resource, namespace, name: requestName };
  if (await isAllowed(context, escalate)) return undefined;
  if (old && changesOnlyGarbageCollection(role, old)) return undefined;
  const name = role.metadata.name ?? '';
  const why = escalation(context, resource, role.rules ?? []);
  if (why !== undefined) return newForbidden(GroupResource.of(group, resource), name, why);
  // Whoever sets what is gathered can have anything gathered.
  if ((aggregates(role) || (old && aggregates(old))) && escalation(context, resource, everything) !== undefined) {
    const cause = 'must have cluster-admin privileges to use the aggregationRule';
    return newForbidden(GroupResource.of(group, resource), name, cause);
  }
  return undefined;
}

/**
 * Nobody may give somebody a role that allows more than they may do themselves, unless they may `bind` it.
 * `old` is absent for a creation. Gives the error to refuse it with. To be called before validation.
 */
export async function checkBindingEscalation(
  context: EscalationContext,
  resource: 'clusterrolebindings' | 'rolebindings',
  binding: ClusterRoleBinding | RoleBinding,
  old?: ClusterRoleBinding | RoleBinding,
): Promise<ApiError | undefined> {
  const { user, namespace, rbac } = context;
  if (isPrivileged(user) || (old && changesOnlyGarbageCollection(binding, old))) return undefined;
  const { roleRef } = binding;
  // Differs from upstream, which answers 500: validation refuses such a reference in better words.
  if (roleRef.kind !== 'Role' && roleRef.kind !== 'ClusterRole') return undefined;
  if (await mayBind(context, roleRef)) return undefined;
  const rules = rbac.rulesOfRole(roleRef, namespace);
  if (rules === undefined) return missingRole(resource, roleRef);
  const why = escalation(context, resource, rules);
  return why === undefined
    ? undefined
    : newForbidden(GroupResource.of(group, resource), binding.metadata.name ?? '', why);
}

async function mayBind(context: EscalationContext, { kind, apiGroup = '', name }: RoleRef): Promise<boolean> {
  const { user, namespace } = context;
  return isAllowed(context, { user, verb: 'bind', apiGroup, resource: `${kind.toLowerCase()}s`, namespace, name });
}

const isAllowed = async (
  { authorizer }: EscalationContext,
  wanted: Parameters<typeof resourceAttributes>[0],
): Promise<boolean> => (await authorizer.authorize(resourceAttributes(wanted))).decision === 'allow';

const isPrivileged = ({ groups }: UserInfo): boolean => groups?.includes(privilegedGroup) ?? false;

const aggregates = (role: ClusterRole | Role): boolean =>
  'aggregationRule' in role && (role.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;

/** What the user would grant without having it. */
function escalation(
  { user, namespace, rbac }: EscalationContext,
  resource: string,
  rules: readonly PolicyRule[],
): string | undefined {
  const { rules: held, missing } = rbac.resolveRules(user, namespace);
  const uncovered = uncoveredRules(held, rules);
  if (uncovered.length === 0) return undefined;
  const what = 'is attempting to grant RBAC permissions not currently held';
  const message = `user ${quote(user.username)} (groups=${quoteList(user.groups)}) ${what}:\n${describeRules(uncovered).join('\n')}`;
  if (missing.length === 0) return message;
  const errors = missing.map((roleRef) => missingRole(resource, roleRef).message);
  return `${message}; resolution errors: [${aggregateMessage(errors)}]`;
}

/** Upstream names the resource that the request is for, not that of the role. */
const missingRole = (resource: string, { name }: RoleRef): ApiError =>
  newNotFound(GroupResource.of(group, resource), name);

/** The garbage collector must be able to let go of what it could not create. */
export function changesOnlyGarbageCollection(object: KubernetesObject, old: KubernetesObject): boolean {
  return semanticEqual(withoutCollection(object), withoutCollection(old));
}

function withoutCollection(object: KubernetesObject): KubernetesObject {
  const { ownerReferences, finalizers, managedFields, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}
