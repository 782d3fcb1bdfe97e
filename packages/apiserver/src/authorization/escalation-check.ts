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
  /** The namespace of the request; empty for cluster roles and their bindings. */
  readonly namespace: string;
  readonly authorizer: Authorizer;
  readonly rbac: RbacAuthorizer;
}

/**
 * Checks that the user holds all permissions that a created or updated role grants. Users that may `escalate` the role
 * are exempt, for example the controller that aggregates cluster roles. `old` is absent for a creation; `requestName`
 * is the name in the path, empty for a POST. Returns the error to reject the request with. Must run before validation,
 * as upstream.
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
  // An aggregationRule may select roles with any rules.
  if ((aggregates(role) || (old && aggregates(old))) && escalation(context, resource, everything) !== undefined) {
    const cause = 'must have cluster-admin privileges to use the aggregationRule';
    return newForbidden(GroupResource.of(group, resource), name, cause);
  }
  return undefined;
}

/**
 * Checks that the user holds all permissions of the role that a binding grants. Users that may `bind` the role are
 * exempt. `old` is absent for a creation. Returns the error to reject the request with. Must run before validation.
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
  // Differs from upstream, which responds with status 500: the error of validation is clearer.
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

/** The error message for permissions that the rules grant and the user does not hold; undefined when there are none. */
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

/** Upstream names the resource of the request, not that of the role. */
const missingRole = (resource: string, { name }: RoleRef): ApiError =>
  newNotFound(GroupResource.of(group, resource), name);

/** Whether an update changes only metadata that the garbage collector changes, also on objects it could not create. */
export function changesOnlyGarbageCollection(object: KubernetesObject, old: KubernetesObject): boolean {
  return semanticEqual(withoutCollection(object), withoutCollection(old));
}

function withoutCollection(object: KubernetesObject): KubernetesObject {
  const { ownerReferences, finalizers, managedFields, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}
