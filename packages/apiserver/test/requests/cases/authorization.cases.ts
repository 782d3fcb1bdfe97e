import { asTable, mergePatch, protobuf } from '../headers.ts';
import type { Call, Suite } from '../scenario.ts';

const alice = (send: string, body?: unknown, headers?: Record<string, string>): Call => ({
  send,
  user: 'alice',
  ...(body !== undefined && { body }),
  ...(headers && { headers }),
});
const role = (rules: object[], name = 'r'): Call => ({
  send: 'POST rbac.authorization.k8s.io/v1:roles',
  body: { metadata: { name }, rules },
});
const bind = (name = 'r'): Call => ({
  send: 'POST rbac.authorization.k8s.io/v1:rolebindings',
  body: {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
  },
});
const configMap = (name: string) => ({ metadata: { name } });
const withHeaders = (send: string, headers: Record<string, string>): Call => ({ send, headers });

/** Default authorization. */
export const suite: Suite = {
  server: 'default',
  scenarios: {
    'who is nobody is told so': [
      withHeaders('GET v1:pods', { authorization: 'Bearer nonsense' }),
      withHeaders('GET v1:pods', { authorization: 'Bearer nonsense', accept: 'application/yaml' }),
      withHeaders('GET v1:pods', { authorization: 'Basic YTpi' }),
      withHeaders('GET v1:pods', { authorization: '' }),
      withHeaders('GET /healthz', { authorization: '' }),
      withHeaders('GET /apis', { authorization: '' }),
      withHeaders('GET /nonsense', { authorization: '' }),
      withHeaders('GET v1:pods', { authorization: '', accept: protobuf }),
    ],
    'who may not is told what': [
      alice('GET v1:pods'),
      alice('GET v1:pods/x'),
      alice('GET v1:pods?watch=true'),
      alice('GET v1:pods/x/log'),
      alice('POST v1:pods', {}),
      alice('POST v1:pods', '{'),
      alice('PUT v1:pods/x', {}),
      alice('PATCH v1:pods/x', {}, mergePatch),
      alice('DELETE v1:pods/x'),
      alice('DELETE v1:pods'),
      alice('GET v1::nodes'),
      alice('GET v1::nodes/x'),
      alice('GET v1::pods'),
      alice('GET v1::namespaces/x'),
      alice('GET apps/v1:deployments'),
      alice('PATCH apps/v1:deployments/x/scale', {}, mergePatch),
      alice('GET /api/v1/boats'),
      alice('GET /apis/boats.example/v1/boats'),
      alice('GET /metrics'),
      alice('GET /nonsense'),
      alice('OPTIONS v1:pods'),
      alice('GET v1:pods?fieldSelector=metadata.name%3Dx'),
      alice('GET v1:pods', undefined, asTable),
      alice('GET v1:pods', undefined, { accept: 'application/yaml' }),
    ],
    'roles allow': [
      role([
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'create', 'update'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['one'], verbs: ['get', 'list'] },
      ]),
      bind(),
      { ...alice('GET v1:configmaps?fieldSelector=metadata.name%3Dnone'), settle: true },
      alice('POST v1:configmaps', configMap('a')),
      alice('GET v1:configmaps/a'),
      alice('DELETE v1:configmaps/a'),
      alice('PUT v1:configmaps/a', configMap('a')),
      alice('GET v1:secrets/one'),
      alice('GET v1:secrets/two'),
      alice('GET v1:secrets'),
      alice('GET v1:secrets?fieldSelector=metadata.name%3Done'),
      alice('GET v1::configmaps'),
    ],
    'nobody gives away more than they have': [
      role(
        [
          {
            apiGroups: ['rbac.authorization.k8s.io'],
            resources: ['roles', 'rolebindings'],
            verbs: ['create', 'patch', 'delete'],
          },
          { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
        ],
        'admin',
      ),
      bind('admin'),
      {
        ...alice('POST rbac.authorization.k8s.io/v1:roles', {
          metadata: { name: 'less' },
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
        }),
        settle: true,
      },
      alice('POST rbac.authorization.k8s.io/v1:roles', {
        metadata: { name: 'more' },
        rules: [{ apiGroups: [''], resources: ['configmaps', 'pods'], verbs: ['get', 'list'] }],
      }),
      alice('POST rbac.authorization.k8s.io/v1:rolebindings', {
        metadata: { name: 'all' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'User', name: 'alice' }],
      }),
      alice(
        'PATCH rbac.authorization.k8s.io/v1:roles/less',
        { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] },
        mergePatch,
      ),
      alice('DELETE rbac.authorization.k8s.io/v1:roles/less'),
    ],
    'some may be others': [
      withHeaders('GET v1:configmaps', { 'impersonate-user': 'alice' }),
      withHeaders('GET v1:configmaps?labelSelector=none', {
        'impersonate-user': 'bob',
        'impersonate-group': 'system:masters',
      }),
      withHeaders('GET v1:configmaps', { 'impersonate-group': 'x' }),
      alice('GET v1:configmaps', undefined, { 'impersonate-user': 'bob' }),
      {
        send: 'POST authentication.k8s.io/v1::selfsubjectreviews',
        body: {},
        headers: { 'impersonate-user': 'bob', 'impersonate-uid': '7', 'impersonate-extra-scopes': 'view' },
      },
      {
        send: 'POST authentication.k8s.io/v1::selfsubjectreviews',
        body: {},
        headers: { 'impersonate-user': 'system:serviceaccount:{{ns}}:default' },
      },
    ],
    'reviews tell what others may': [
      {
        send: 'POST authorization.k8s.io/v1::subjectaccessreviews',
        body: {
          spec: {
            user: 'alice',
            groups: ['dev'],
            resourceAttributes: { verb: 'get', resource: 'pods', namespace: '{{ns}}' },
          },
        },
      },
      {
        send: 'POST authorization.k8s.io/v1::subjectaccessreviews',
        body: {
          spec: { user: 'x', groups: ['system:masters'], resourceAttributes: { verb: 'get', resource: 'pods' } },
        },
      },
      alice('POST authorization.k8s.io/v1::selfsubjectaccessreviews', {
        spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: '{{ns}}' } },
      }),
      alice('POST authorization.k8s.io/v1::selfsubjectaccessreviews', {
        spec: { nonResourceAttributes: { verb: 'get', path: '/openapi/v2' } },
      }),
      alice('POST authorization.k8s.io/v1::selfsubjectrulesreviews', { spec: { namespace: '{{ns}}' } }),
      alice('POST authorization.k8s.io/v1::subjectaccessreviews', {
        spec: { user: 'x', resourceAttributes: { verb: 'get', resource: 'pods' } },
      }),
      alice('POST authentication.k8s.io/v1::selfsubjectreviews', {}),
    ],
  },
};
