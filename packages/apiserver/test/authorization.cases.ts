import type { ResourceAttributes } from '@coxswain/api/authorization/v1';
import type { PolicyRule, RoleRef, Subject } from '@coxswain/api/rbac/v1';
import type { KubernetesObject } from '@coxswain/apimachinery';

/* Requests to a server with `--authorization-mode=Node,RBAC`, and the objects that it must have. */

export const namespace = 'authz-cases';
const rbac = 'rbac.authorization.k8s.io';

const role = (name: string, ...rules: PolicyRule[]): KubernetesObject =>
  Object.assign({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name, namespace } }, { rules });
const clusterRole = (name: string, ...rules: PolicyRule[]): KubernetesObject =>
  Object.assign({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name } }, { rules });

export const roleRef = (kind: string, name: string): RoleRef => ({ apiGroup: rbac, kind, name });
export const user = (name: string): Subject => ({ apiGroup: rbac, kind: 'User', name });
const group = (name: string): Subject => ({ apiGroup: rbac, kind: 'Group', name });

export const binding = (name: string, ref: RoleRef, ...subjects: Subject[]): KubernetesObject =>
  Object.assign(
    { apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name, namespace } },
    { subjects, roleRef: ref },
  );
export const clusterBinding = (name: string, ref: RoleRef, ...subjects: Subject[]): KubernetesObject =>
  Object.assign(
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name } },
    { subjects, roleRef: ref },
  );

const core = (...resources: string[]) => ({ apiGroups: [''], resources });

export const fixtures: readonly KubernetesObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'builder', namespace } },
  role('ac-reader', { verbs: ['get', 'list'], ...core('pods', 'pods/log') }),
  role('ac-one', { verbs: ['update'], ...core('configmaps'), resourceNames: ['theirs'] }),
  clusterRole('ac-scaler', { verbs: ['get', 'update'], apiGroups: ['*'], resources: ['*/scale'] }),
  clusterRole('ac-urls', { verbs: ['get'], nonResourceURLs: ['/ac', '/ac/*', '/acx*'] }),
  clusterRole('ac-nodes', { verbs: ['*'], ...core('nodes') }),
  clusterRole('ac-wide', { verbs: ['get', 'list', 'watch'], apiGroups: ['apps'], resources: ['*'] }),
  clusterRole('ac-binder', {
    verbs: ['bind'],
    apiGroups: [rbac],
    resources: ['clusterroles'],
    resourceNames: ['ac-wide'],
  }),
  clusterRole('ac-escalator', { verbs: ['escalate'], apiGroups: [rbac], resources: ['clusterroles'] }),
  clusterRole('ac-role-writer', {
    verbs: ['create', 'update', 'get'],
    apiGroups: [rbac],
    resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
  }),
  clusterRole('ac-impersonator', {
    verbs: ['impersonate'],
    apiGroups: [''],
    resources: ['users', 'groups'],
    resourceNames: ['ac-bob', 'ac-devs'],
  }),
  clusterRole(
    'ac-constrained',
    { verbs: ['impersonate:user-info'], apiGroups: ['authentication.k8s.io'], resources: ['users', 'groups'] },
    {
      verbs: ['impersonate:arbitrary-node'],
      apiGroups: ['authentication.k8s.io'],
      resources: ['nodes'],
      resourceNames: ['ac-n1'],
    },
    { verbs: ['impersonate:serviceaccount'], apiGroups: ['authentication.k8s.io'], resources: ['serviceaccounts'] },
    {
      verbs: [
        'impersonate-on:user-info:create',
        'impersonate-on:arbitrary-node:create',
        'impersonate-on:serviceaccount:create',
      ],
      apiGroups: ['authentication.k8s.io'],
      resources: ['selfsubjectreviews'],
    },
  ),
  clusterRole('ac-approver', {
    verbs: ['approve'],
    apiGroups: ['certificates.k8s.io'],
    resources: ['signers'],
    resourceNames: ['acme.io/*'],
  }),
  binding('ac-readers', roleRef('Role', 'ac-reader'), group('ac-devs'), user('ac-ann')),
  binding('ac-one', roleRef('Role', 'ac-one'), user('ac-ann')),
  binding('ac-scalers', roleRef('ClusterRole', 'ac-scaler'), user('ac-ann')),
  binding('ac-builders', roleRef('ClusterRole', 'ac-wide'), { kind: 'ServiceAccount', name: 'builder', namespace }),
  binding('ac-lost', roleRef('Role', 'ac-gone'), user('ac-lost')),
  binding('ac-writers', roleRef('ClusterRole', 'ac-role-writer'), user('ac-ann'), user('ac-lost')),
  clusterBinding('ac-urls', roleRef('ClusterRole', 'ac-urls'), group('ac-devs')),
  clusterBinding('ac-nodes', roleRef('ClusterRole', 'ac-nodes'), user('ac-op')),
  clusterBinding('ac-wide', roleRef('ClusterRole', 'ac-wide'), user('ac-op')),
  clusterBinding('ac-writers', roleRef('ClusterRole', 'ac-role-writer'), user('ac-op'), user('ac-esc')),
  clusterBinding('ac-escalators', roleRef('ClusterRole', 'ac-escalator'), user('ac-esc')),
  clusterBinding('ac-binders', roleRef('ClusterRole', 'ac-binder'), user('ac-ann')),
  clusterBinding('ac-lost', roleRef('ClusterRole', 'ac-gone'), user('ac-lost')),
  clusterBinding('ac-lost-too', roleRef('ClusterRole', 'ac-gone'), user('ac-lost')),
  clusterBinding('ac-impersonators', roleRef('ClusterRole', 'ac-impersonator'), user('alice')),
  clusterBinding('ac-constrained', roleRef('ClusterRole', 'ac-constrained'), user('alice')),
  clusterBinding('ac-approvers', roleRef('ClusterRole', 'ac-approver'), user('alice')),
  pod('ac-p1', 'ac-n1', {
    serviceAccountName: 'builder',
    containers: [
      {
        name: 'c',
        image: 'x',
        env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'env-secret', key: 'k' } } }],
        envFrom: [{ configMapRef: { name: 'env-map' } }],
      },
    ],
    imagePullSecrets: [{ name: 'pull' }],
    volumes: [
      { name: 'a', secret: { secretName: 'vol-secret' } },
      { name: 'b', persistentVolumeClaim: { claimName: 'claim' } },
      { name: 'd', projected: { sources: [{ configMap: { name: 'projected-map' } }] } },
    ],
  }),
  pod('ac-p2', 'ac-n2', {
    containers: [{ name: 'c', image: 'x' }],
    volumes: [{ name: 'a', secret: { secretName: 'other-secret' } }],
  }),
  Object.assign(
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'ac-pv' } },
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        claimRef: { namespace, name: 'claim' },
        csi: {
          driver: 'acme.io',
          volumeHandle: 'h',
          nodeStageSecretRef: { namespace, name: 'stage' },
          controllerPublishSecretRef: { namespace, name: 'controller' },
        },
      },
    },
  ),
  Object.assign(
    { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', metadata: { name: 'ac-va' } },
    { spec: { attacher: 'acme.io', nodeName: 'ac-n1', source: { persistentVolumeName: 'ac-pv' } } },
  ),
  Object.assign(
    { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceSlice', metadata: { name: 'ac-slice' } },
    {
      spec: {
        driver: 'acme.io',
        nodeName: 'ac-n1',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'd' }],
      },
    },
  ),
];

function pod(name: string, nodeName: string, spec: object): KubernetesObject {
  return Object.assign(
    { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } },
    { spec: { nodeName, ...spec } },
  );
}

export interface AccessCase {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly about: ResourceAttributes | { path: string; verb: string };
}

const ns = (verb: string, resource: string, name = '', subresource = ''): ResourceAttributes => ({
  namespace,
  verb,
  resource,
  ...(name && { name }),
  ...(subresource && { subresource }),
});
const ann = (about: AccessCase['about'], ...groups: string[]): AccessCase => ({ user: 'ac-ann', groups, about });
const node = (about: AccessCase['about']): AccessCase => ({
  user: 'system:node:ac-n1',
  groups: ['system:nodes'],
  about,
});
const ofNode = (nodeName: string) => ({ fieldSelector: { rawSelector: `spec.nodeName=${nodeName}` } });

/** SubjectAccessReviews. */
export const accessCases: Readonly<Record<string, AccessCase>> = {
  'a role in the namespace allows': ann(ns('get', 'pods')),
  'the first subject of a binding is named, though another applies too': ann(ns('list', 'pods'), 'ac-devs'),
  'a subresource is allowed by itself': ann(ns('get', 'pods', 'p', 'log')),
  'another subresource is not': ann(ns('get', 'pods', 'p', 'exec')),
  'another verb is not': ann(ns('delete', 'pods')),
  'another namespace is not': ann({ verb: 'get', resource: 'pods', namespace: 'default' }),
  'a role of a namespace does not reach the cluster': ann({ verb: 'get', resource: 'pods' }),
  'a named resource': ann(ns('update', 'configmaps', 'theirs')),
  'another name': ann(ns('update', 'configmaps', 'ours')),
  'no name where names are asked for': ann(ns('update', 'configmaps')),
  'a subresource of anything': ann({ ...ns('update', 'deployments', 'x', 'scale'), group: 'apps' }),
  'any resource of a group': { user: 'ac-op', about: { verb: 'watch', group: 'apps', resource: 'whatever' } },
  'any resource of a group, in a namespace and with subresource': {
    user: 'ac-op',
    about: { ...ns('get', 'deployments', 'x', 'status'), group: 'apps' },
  },
  'any verb': { user: 'ac-op', about: { verb: 'dance', resource: 'nodes' } },
  'any verb, but not on subresources': {
    user: 'ac-op',
    about: { verb: 'get', resource: 'nodes', subresource: 'proxy' },
  },
  'a service account by its user name': {
    user: `system:serviceaccount:${namespace}:builder`,
    about: { ...ns('list', 'deployments'), group: 'apps' },
  },
  'a service account of another namespace': {
    user: 'system:serviceaccount:default:builder',
    about: { ...ns('list', 'deployments'), group: 'apps' },
  },
  'a path': { user: 'x', groups: ['ac-devs'], about: { path: '/ac', verb: 'get' } },
  'a path below': { user: 'x', groups: ['ac-devs'], about: { path: '/ac/b/c', verb: 'get' } },
  'a path that begins so': { user: 'x', groups: ['ac-devs'], about: { path: '/acxyz', verb: 'get' } },
  'a path that does not': { user: 'x', groups: ['ac-devs'], about: { path: '/acy', verb: 'get' } },
  'a path with another verb': { user: 'x', groups: ['ac-devs'], about: { path: '/ac', verb: 'post' } },
  'a path for everybody': { user: 'x', groups: ['system:unauthenticated'], about: { path: '/version/', verb: 'get' } },
  'a role that is missing': { user: 'ac-lost', about: { verb: 'get', resource: 'pods' } },
  'roles that are missing': { user: 'ac-lost', about: ns('get', 'pods') },
  'the privileged group': { user: 'x', groups: ['system:masters'], about: { verb: 'x', resource: 'y' } },
  'selectors that are understood': ann({
    ...ns('list', 'pods'),
    fieldSelector: { rawSelector: 'a=b' },
    labelSelector: { rawSelector: 'c in (d)' },
  }),
  'selectors that are not': ann({
    ...ns('list', 'pods'),
    fieldSelector: { rawSelector: 'a' },
    labelSelector: { rawSelector: 'a in b c' },
  }),
  'requirements that are partly understood': ann({
    ...ns('delete', 'pods'),
    fieldSelector: {
      requirements: [
        { key: 'a', operator: 'In', values: ['b'] },
        { key: 'a', operator: 'NotIn', values: ['b', 'c'] },
      ],
    },
    labelSelector: {
      requirements: [
        { key: 'a', operator: 'Exists' },
        { key: 'a', operator: 'Sometimes' as 'In' },
      ],
    },
  }),
  'requirements that are not understood': ann({
    ...ns('delete', 'pods'),
    fieldSelector: { requirements: [{ key: 'a', operator: 'Exists' }] },
    labelSelector: { requirements: [{ key: 'a', operator: 'Sometimes' as 'In' }] },
  }),

  'a node reads a secret of its pod': node(ns('get', 'secrets', 'vol-secret')),
  'a node watches a secret of its pod': node(ns('watch', 'secrets', 'env-secret')),
  'a node reads a pull secret': node(ns('get', 'secrets', 'pull')),
  'a node reads a secret of a volume of its pod': node(ns('get', 'secrets', 'stage')),
  'a node does not read a secret of the controller': node(ns('get', 'secrets', 'controller')),
  'a node does not read a secret of another node': node(ns('get', 'secrets', 'other-secret')),
  'a node does not list secrets': node(ns('list', 'secrets')),
  'a node does not write secrets': node(ns('update', 'secrets', 'vol-secret')),
  'a node does not list secrets of all namespaces': node({ verb: 'list', resource: 'secrets' }),
  'a node reads a config map of its pod': node(ns('get', 'configmaps', 'env-map')),
  'a node reads a projected config map': node(ns('list', 'configmaps', 'projected-map')),
  'a node does not read another config map': node(ns('get', 'configmaps', 'unmounted-map')),
  'a node does not read a subresource of it': node(ns('get', 'configmaps', 'env-map', 'x')),
  'a node gets a claim': node(ns('get', 'persistentvolumeclaims', 'claim')),
  'a node does not list claims': node(ns('list', 'persistentvolumeclaims')),
  'a node patches the status of a claim': node(ns('patch', 'persistentvolumeclaims', 'claim', 'status')),
  'a node does not get the status of a claim': node(ns('get', 'persistentvolumeclaims', 'claim', 'status')),
  'a node gets no other subresource of a claim': node(ns('get', 'persistentvolumeclaims', 'claim', 'x')),
  'a node gets a volume': node({ verb: 'get', resource: 'persistentvolumes', name: 'ac-pv' }),
  'a node does not get another volume': node({ verb: 'get', resource: 'persistentvolumes', name: 'none' }),
  'a node gets its attachment': node({
    verb: 'get',
    group: 'storage.k8s.io',
    resource: 'volumeattachments',
    name: 'ac-va',
  }),
  'a node gets a service account': node(ns('get', 'serviceaccounts', 'builder')),
  'a node does not get another service account': node(ns('get', 'serviceaccounts', 'stranger')),
  'a node makes a token': node(ns('create', 'serviceaccounts', 'builder', 'token')),
  'a node makes no token for others': node(ns('create', 'serviceaccounts', 'stranger', 'token')),
  'a node makes no service account': node(ns('create', 'serviceaccounts', 'builder')),
  'a node does not list service accounts': node(ns('list', 'serviceaccounts')),
  'a node gets its pod': node(ns('get', 'pods', 'ac-p1')),
  'a node does not get the pod of another': node(ns('get', 'pods', 'ac-p2')),
  'a node lists its pods': node({ verb: 'list', resource: 'pods', ...ofNode('ac-n1') }),
  'a node does not list the pods of another': node({ verb: 'list', resource: 'pods', ...ofNode('ac-n2') }),
  'a node does not list all pods': node({ verb: 'watch', resource: 'pods' }),
  'a node watches one pod': node(ns('watch', 'pods', 'ac-p1')),
  'a node creates pods': node(ns('create', 'pods')),
  'a node does not update pods': node(ns('update', 'pods', 'ac-p1')),
  'a node updates the status of pods': node(ns('patch', 'pods', 'ac-p2', 'status')),
  'a node evicts pods': node(ns('create', 'pods', 'ac-p2', 'eviction')),
  'a node does not exec': node(ns('create', 'pods', 'ac-p1', 'exec')),
  'a node reads itself': node({ verb: 'get', resource: 'nodes', name: 'ac-n1' }),
  'a node does not read another': node({ verb: 'get', resource: 'nodes', name: 'ac-n2' }),
  'a node does not read all': node({ verb: 'list', resource: 'nodes' }),
  'a node creates itself': node({ verb: 'create', resource: 'nodes' }),
  'a node patches its status': node({ verb: 'patch', resource: 'nodes', subresource: 'status', name: 'ac-n1' }),
  'a node does not delete itself': node({ verb: 'delete', resource: 'nodes', name: 'ac-n1' }),
  'a node renews its lease': node({
    verb: 'update',
    group: 'coordination.k8s.io',
    resource: 'leases',
    namespace: 'kube-node-lease',
    name: 'ac-n1',
  }),
  'a node does not renew the lease of another': node({
    verb: 'update',
    group: 'coordination.k8s.io',
    resource: 'leases',
    namespace: 'kube-node-lease',
    name: 'ac-n2',
  }),
  'a node has no lease elsewhere': node({ ...ns('get', 'leases', 'ac-n1'), group: 'coordination.k8s.io' }),
  'a node does not list leases': node({ ...ns('list', 'leases'), group: 'coordination.k8s.io' }),
  'a node writes its CSINode': node({ verb: 'create', group: 'storage.k8s.io', resource: 'csinodes' }),
  'a node does not read another CSINode': node({
    verb: 'get',
    group: 'storage.k8s.io',
    resource: 'csinodes',
    name: 'x',
  }),
  'a node does not list CSINodes': node({ verb: 'list', group: 'storage.k8s.io', resource: 'csinodes' }),
  'a CSINode has no subresources': node({
    verb: 'get',
    group: 'storage.k8s.io',
    resource: 'csinodes',
    subresource: 'x',
  }),
  'a node reads its slice': node({
    verb: 'get',
    group: 'resource.k8s.io',
    resource: 'resourceslices',
    name: 'ac-slice',
  }),
  'a node lists its slices': node({
    verb: 'list',
    group: 'resource.k8s.io',
    resource: 'resourceslices',
    ...ofNode('ac-n1'),
  }),
  'a node does not list all slices': node({
    verb: 'deletecollection',
    group: 'resource.k8s.io',
    resource: 'resourceslices',
  }),
  'a node does not dance with slices': node({ verb: 'dance', group: 'resource.k8s.io', resource: 'resourceslices' }),
  'a slice has no subresources': node({
    verb: 'get',
    group: 'resource.k8s.io',
    resource: 'resourceslices',
    subresource: 'x',
  }),
  'a node does not get another claim for devices': node({
    ...ns('get', 'resourceclaims', 'x'),
    group: 'resource.k8s.io',
  }),
  'a node does not ask for pod certificates while that is off': node({
    ...ns('create', 'podcertificaterequests'),
    group: 'certificates.k8s.io',
  }),
  'a node does what all nodes may': node({ verb: 'watch', resource: 'services' }),
  'a node does not do what none may': node({ verb: 'delete', resource: 'services', namespace }),
  'a node without a name': {
    user: 'system:node:',
    groups: ['system:nodes'],
    about: { verb: 'get', resource: 'nodes' },
  },
  'a node outside of its group': { user: 'system:node:ac-n1', about: { verb: 'create', resource: 'nodes' } },
};

export interface EscalationCase {
  readonly as: string;
  readonly groups?: readonly string[];
  readonly create: KubernetesObject;
}

/** Creations of roles and bindings, as a dry run. */
export const escalationCases: Readonly<Record<string, EscalationCase>> = {
  'a role of what one has': {
    as: 'ac-ann',
    create: role(
      'new',
      { verbs: ['list'], ...core('pods') },
      { verbs: ['update'], ...core('configmaps'), resourceNames: ['theirs'] },
    ),
  },
  'a role of more': {
    as: 'ac-ann',
    groups: ['g1', 'g2'],
    create: role(
      'new',
      { verbs: ['list', 'delete', 'create'], ...core('pods', 'services') },
      { verbs: ['get'], apiGroups: ['apps', ''], resources: ['x/scale', 'y/status'], resourceNames: ['n1', 'n2'] },
    ),
  },
  'a role without the names that one has': {
    as: 'ac-ann',
    create: role('new', { verbs: ['update'], ...core('configmaps') }),
  },
  'a cluster role with paths': {
    as: 'ac-op',
    create: clusterRole(
      'ac-new',
      { verbs: ['get', 'post'], nonResourceURLs: ['/x', '/y/*'] },
      { verbs: ['*'], ...core('*') },
    ),
  },
  'a cluster role that one may escalate': {
    as: 'ac-esc',
    create: clusterRole('ac-new', { verbs: ['*'], ...core('*') }),
  },
  'a cluster role that aggregates': {
    as: 'ac-op',
    create: Object.assign(clusterRole('ac-new'), {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    }),
  },
  'anything by the privileged': {
    as: 'x',
    groups: ['system:masters'],
    create: clusterRole('ac-new', { verbs: ['*'], ...core('*') }),
  },
  'a binding of what one has': { as: 'ac-op', create: binding('new', roleRef('ClusterRole', 'ac-wide'), user('x')) },
  'a binding of what one may bind': {
    as: 'ac-ann',
    create: binding('new', roleRef('ClusterRole', 'ac-wide'), user('x')),
  },
  'a binding of more': { as: 'ac-ann', create: binding('new', roleRef('ClusterRole', 'ac-nodes'), user('x')) },
  'a binding of what is not there': {
    as: 'ac-ann',
    create: binding('new', roleRef('ClusterRole', 'ac-gone'), user('x')),
  },
  'a binding of a role that is not there': {
    as: 'ac-ann',
    create: binding('new', roleRef('Role', 'ac-gone'), user('x')),
  },
  'a binding of a role of no known kind': { as: 'ac-ann', create: binding('new', roleRef('Group', 'x'), user('x')) },
  'a cluster binding of more': {
    as: 'ac-op',
    create: clusterBinding('ac-new', roleRef('ClusterRole', 'ac-urls'), user('x')),
  },
  'a role of more by somebody with missing roles': {
    as: 'ac-lost',
    create: role('new', { verbs: ['get'], ...core('pods') }),
  },
};

export type ImpersonationCase = Readonly<Record<string, string | readonly string[]>>;

/** Impersonation headers of SelfSubjectReviews by alice (uid2, groups dev and system:authenticated). The order matters. */
export const impersonationCases: Readonly<Record<string, ImpersonationCase>> = {
  'groups alone': { 'impersonate-group': ['a', 'b'] },
  'a uid and extra alone': { 'impersonate-uid': 'u', 'impersonate-extra-acme.io%2fkey': ['x', 'y'] },
  'somebody who may not be impersonated': { 'impersonate-user': 'ac-carol', 'impersonate-uid': 'u' },
  'a service account, constrained': { 'impersonate-user': `system:serviceaccount:${namespace}:builder` },
  'a service account with groups': {
    'impersonate-user': `system:serviceaccount:${namespace}:builder`,
    'impersonate-group': 'ac-devs',
  },
  'a node, constrained': { 'impersonate-user': 'system:node:ac-n1' },
  'another node': { 'impersonate-user': 'system:node:ac-n2' },
  'a node with a bad name': { 'impersonate-user': 'system:node:AC' },
  'a user, constrained': { 'impersonate-user': 'ac-carol' },
  'a user and groups, constrained': { 'impersonate-user': 'ac-carol', 'impersonate-group': ['a', 'b'] },
  'the privileged group': { 'impersonate-user': 'ac-carol', 'impersonate-group': 'system:masters' },
  'a group without a name': { 'impersonate-user': 'ac-carol', 'impersonate-group': ['a', ''] },
  'a uid': { 'impersonate-user': 'ac-carol', 'impersonate-uid': 'u' },
  'extra with a bad key': { 'impersonate-user': 'ac-carol', 'impersonate-extra-scopes': 'a' },
  'extra with a good key': { 'impersonate-user': 'ac-carol', 'impersonate-extra-acme.io%2Fscopes': 'a' },
  anonymous: { 'impersonate-user': 'system:anonymous' },
  'a user as the unauthenticated': { 'impersonate-user': 'ac-carol', 'impersonate-group': 'system:unauthenticated' },
};
