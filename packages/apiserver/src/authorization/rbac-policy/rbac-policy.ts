import { FeatureGates } from '@coxswain/api';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from '@coxswain/api/rbac/v1';
import type { ObjectMeta } from '@coxswain/apimachinery';
import { type BindingTable, clusterRoleBindings, namespaceRoleBindings } from './bindings.ts';
import { clusterRoles } from './cluster-roles.ts';
import { controllerRoles } from './controller-roles.ts';
import { namespaceRoles } from './namespace-roles.ts';
import { gated, parseRule, type RoleTable } from './rule-notation.ts';

export interface RbacPolicy {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
}

const rbacGroup = 'rbac.authorization.k8s.io';
const apiVersion = 'rbac.authorization.k8s.io/v1';
const controllerPrefix = 'system:controller:';

const kubeletClientBinding = 'kubeadm:apiserver-kubelet-client of system:kubelet-api-admin';

/** Cluster roles that aggregate roles labelled `aggregate-to-NAME`; `into` is the role they are aggregated to. */
const aggregatingRoles: readonly { name: string; into?: string }[] = [
  { name: 'admin' },
  { name: 'edit', into: 'admin' },
  { name: 'view', into: 'edit' },
];
const gatheredRoles: ReadonlyMap<string, string> = new Map(
  aggregatingRoles.flatMap(({ name, into }): [string, string][] => [
    [`system:aggregate-to-${name}`, name],
    ...(into ? [[name, into] as [string, string]] : []),
  ]),
);

/**
 * The default roles and bindings of a cluster with these feature gates. Returns new objects at each call.
 * `kubeletClient` is the user of the server's client certificate for kubelets, if the server issued it: it is bound as
 * kubeadm does.
 */
export function rbacPolicy(gates: FeatureGates = FeatureGates.defaults, kubeletClient?: string): RbacPolicy {
  const controllers = Object.keys(controllerRoles).flatMap((key) => gated(key, gates) ?? []);
  return {
    clusterRoles: [
      ...aggregatingRoles.map(
        ({ name }): ClusterRole => ({
          kind: 'ClusterRole',
          apiVersion,
          metadata: metadata(name),
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateTo(name)]: 'true' } }] },
        }),
      ),
      ...[...rolesOf(clusterRoles, gates), ...rolesOf(controllerRoles, gates, controllerPrefix)].map(
        ([name, rules]): ClusterRole => ({ kind: 'ClusterRole', apiVersion, metadata: metadata(name), rules }),
      ),
    ],
    clusterRoleBindings: [
      ...bindingsOf(clusterRoleBindings, gates),
      ...(kubeletClient === undefined ? [] : bindingsOf({ [kubeletClientBinding]: [`User ${kubeletClient}`] }, gates)),
      ...controllers.map((name) => ({
        name: controllerPrefix + name,
        role: controllerPrefix + name,
        subjects: [subject(`ServiceAccount kube-system/${name}`)],
      })),
    ].map(({ name, role, subjects }): ClusterRoleBinding => {
      const roleRef = { apiGroup: rbacGroup, kind: 'ClusterRole', name: role };
      return { kind: 'ClusterRoleBinding', apiVersion, metadata: metadata(name), ...some(subjects), roleRef };
    }),
    roles: Object.entries(namespaceRoles).flatMap(([namespace, table]) =>
      rolesOf(table, gates).map(
        ([name, rules]): Role => ({ kind: 'Role', apiVersion, metadata: metadata(name, namespace), rules }),
      ),
    ),
    roleBindings: Object.entries(namespaceRoleBindings).flatMap(([namespace, table]) =>
      bindingsOf(table, gates).map(({ name, role, subjects }): RoleBinding => {
        const roleRef = { apiGroup: rbacGroup, kind: 'Role', name: role };
        return { kind: 'RoleBinding', apiVersion, metadata: metadata(name, namespace), ...some(subjects), roleRef };
      }),
    ),
  };
}

/** The rules of the Node authorizer for resources without a check of their own. */
export function nodeRules(gates: FeatureGates = FeatureGates.defaults): PolicyRule[] {
  return clusterRoles['system:node']!.flatMap((line) => parseRule(line, gates) ?? []);
}

function rolesOf(table: RoleTable, gates: FeatureGates, prefix = ''): [name: string, rules: PolicyRule[]][] {
  return Object.entries(table).flatMap(([key, lines]): [string, PolicyRule[]][] => {
    const name = gated(key, gates);
    return name === undefined ? [] : [[prefix + name, lines.flatMap((line) => parseRule(line, gates) ?? [])]];
  });
}

function bindingsOf(table: BindingTable, gates: FeatureGates): { name: string; role: string; subjects: Subject[] }[] {
  return Object.entries(table).flatMap(([key, subjects]) => {
    const names = gated(key, gates);
    if (names === undefined) return [];
    const [name = '', role = name] = names.split(' of ');
    return { name, role, subjects: subjects.map(subject) };
  });
}

function subject(text: string): Subject {
  const [kind = '', name = ''] = text.split(' ');
  if (kind !== 'ServiceAccount') return { kind, apiGroup: rbacGroup, name };
  const [namespace = '', account = ''] = name.split('/');
  return { kind, name: account, namespace };
}

const some = (subjects: Subject[]): { subjects?: Subject[] } => (subjects.length > 0 ? { subjects } : {});

function metadata(name: string, namespace?: string): ObjectMeta {
  const into = namespace === undefined ? gatheredRoles.get(name) : undefined;
  return {
    name,
    ...(namespace && { namespace }),
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...(into && { [aggregateTo(into)]: 'true' }) },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
}

const aggregateTo = (role: string): string => `rbac.authorization.k8s.io/aggregate-to-${role}`;
