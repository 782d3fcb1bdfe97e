import type { Base, Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const object = (kind: string, name: string, content: object): Base => ({
  object: { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name }, ...content },
});
const create =
  (base: string) =>
  (changes: Record<string, unknown>): Case => ({ create: base, change: edit(changes) });
const role = create('role');
const clusterRole = create('clusterRole');
const binding = create('binding');
const clusterBinding = create('clusterBinding');
const update = (base: string, changes: Record<string, unknown>): Case => ({ update: base, change: edit(changes) });
const pods = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const badRules = [
  {},
  { verbs: ['get'] },
  { verbs: [], apiGroups: [''], resources: [] },
  { verbs: ['get'], nonResourceURLs: ['/x'] },
  { nonResourceURLs: ['/x'], resourceNames: ['a'] },
  { verbs: ['get'], nonResourceURLs: ['/x'], apiGroups: [''] },
];
const subjects = [
  { kind: 'User', name: 'jane' },
  { kind: 'Group', name: 'admins' },
  { kind: 'ServiceAccount', name: 'default', namespace: 'kube-system' },
  { kind: 'User', name: 'joe' },
  { kind: 'ServiceAccount', name: 'other', namespace: 'default' },
];
const badSubjects = [
  {},
  { kind: 'User' },
  { kind: 'User', name: 'a', apiGroup: 'x' },
  { kind: 'Group', name: 'a', apiGroup: 'x', namespace: 'unseen' },
  { kind: 'ServiceAccount', name: 'Bad_Name', apiGroup: 'rbac.authorization.k8s.io' },
  { kind: 'ServiceAccount', namespace: 'default' },
  { kind: 'Robot', name: 'r2d2' },
];
const selectors = (...list: object[]) => ({ aggregationRule: { clusterRoleSelectors: list } });

export const suite: CaseSuite = {
  bases: {
    role: object('Role', 'role', { rules: [pods] }),
    clusterRole: object('ClusterRole', 'cases:cluster-role', { rules: [pods] }),
    aggregating: object('ClusterRole', 'cases:aggregating', selectors({ matchLabels: { a: 'b' } })),
    binding: object('RoleBinding', 'binding', { roleRef: { kind: 'Role', name: 'role' }, subjects }),
    clusterBinding: object('ClusterRoleBinding', 'cases:cluster-binding', {
      roleRef: { kind: 'ClusterRole', name: 'view' },
    }),
  },
  cases: {
    'a role needs no rules': role({ rules: undefined }),
    'a role may have rules': role({ 'metadata.generation': 7 }),
    'bad rules of a role are refused': role({ rules: badRules }),
    'names of roles need only fit into a URL': role({ 'metadata.name': 'A_b:c d' }),
    'names of roles must fit into a URL': role({ 'metadata.name': 'a/b%' }),
    'dots alone are no name': role({ 'metadata.name': '..' }),
    'rules of a role can change': update('role', { rules: [pods, pods] }),
    'bad rules cannot be put in': update('role', { rules: badRules, 'metadata.labels': { 'a b': '' } }),
    'a role is shown by its name': { table: 'role' },

    'a cluster role may have rules for URLs': clusterRole({ rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }),
    'bad rules of a cluster role are refused': clusterRole({ rules: badRules }),
    'a cluster role may aggregate others': clusterRole(selectors({ matchLabels: { a: 'b' } }, {})),
    'an aggregation needs selectors': clusterRole({ aggregationRule: {} }),
    'bad selectors of an aggregation are refused': clusterRole(
      selectors(
        { matchLabels: { 'a b': 'c' } },
        { matchExpressions: [{ key: 'a', operator: 'Is', values: ['b'] }] },
        { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] },
        { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      ),
    ),
    'an aggregation can change': update('aggregating', selectors({})),
    'bad selectors cannot be put in': update(
      'aggregating',
      selectors({ matchExpressions: [{ key: '', operator: '' }] }),
    ),
    'a cluster role is shown by its name': { table: 'clusterRole' },

    'the API group of role and persons is set': binding({}),
    'a binding needs no subjects': binding({ subjects: undefined }),
    'a binding of a namespace may refer to a cluster role': binding({ 'roleRef.kind': 'ClusterRole' }),
    'a service account in a binding needs no namespace': binding({ subjects: [{ kind: 'ServiceAccount', name: 'a' }] }),
    'a bad role is refused': binding({ roleRef: { apiGroup: 'x', kind: 'Group', name: 'a/b' } }),
    'a role without a name is refused': binding({ roleRef: {} }),
    'bad subjects are refused': binding({ subjects: badSubjects }),
    'subjects can change': update('binding', { subjects: [{ kind: 'Group', name: 'all' }] }),
    'the role cannot change': update('binding', { 'roleRef.name': 'other', 'metadata.labels': { 'a b': '' } }),
    'a binding is shown with its subjects': { table: 'binding' },

    'a cluster binding may only refer to a cluster role': clusterBinding({ roleRef: { kind: 'Role', name: 'role' } }),
    'a service account in a cluster binding needs a namespace': clusterBinding({
      subjects: [{ kind: 'ServiceAccount', name: 'a' }],
    }),
    'bad subjects of a cluster binding are refused': clusterBinding({ subjects: badSubjects }),
    'subjects of a cluster binding get their group': clusterBinding({ subjects }),
    'the role of a cluster binding cannot change': update('clusterBinding', { 'roleRef.name': 'edit' }),
    'a cluster binding without subjects is shown': { table: 'clusterBinding' },
  },
};
