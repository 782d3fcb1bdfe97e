import { applyPatch, jsonPatch, mergePatch, strategicPatch } from '../headers.ts';
import { type Call, edited, type Suite } from '../scenario.ts';

const json = (path: string, body: unknown): Call => ({ send: `PATCH ${path}`, body, headers: jsonPatch });
const merge = (path: string, body: unknown): Call => ({ send: `PATCH ${path}`, body, headers: mergePatch });
const strategic = (path: string, body: unknown): Call => ({ send: `PATCH ${path}`, body, headers: strategicPatch });
const apply = (path: string, manager: string, body: unknown, query = ''): Call => ({
  send: `PATCH ${path}?fieldManager=${manager}${query}`,
  body,
  headers: applyPatch,
});

const configMap = (name: string, data?: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...(data && { data }),
});
const deployment = (name: string, containers: object[], more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: 'x' } },
    template: { metadata: { labels: { app: 'x' } }, spec: { containers } },
    ...more,
  },
});
const create = (body: object): Call => ({ send: 'POST v1:configmaps', body });

/** Patches of all four types. */
export const suite: Suite = {
  scenarios: {
    'JSON patches change, test and fail': [
      create(configMap('a', { x: '1', y: '2' })),
      json('v1:configmaps/a', [{ op: 'replace', path: '/data/x', value: '9' }]),
      json('v1:configmaps/a', [{ op: 'add', path: '/data/new', value: 'n' }]),
      json('v1:configmaps/a', [{ op: 'remove', path: '/data/y' }]),
      json('v1:configmaps/a', [{ op: 'copy', from: '/data/x', path: '/data/copy' }]),
      json('v1:configmaps/a', [{ op: 'move', from: '/data/copy', path: '/data/moved' }]),
      json('v1:configmaps/a', [{ op: 'test', path: '/data/x', value: '9' }]),
      json('v1:configmaps/a', [{ op: 'test', path: '/data/x', value: '8' }]),
      json('v1:configmaps/a', [{ op: 'replace', path: '/data/none', value: '9' }]),
      json('v1:configmaps/a', [{ op: 'remove', path: '/data/none' }]),
      json('v1:configmaps/a', [{ op: 'add', path: '/none/x', value: '1' }]),
      json('v1:configmaps/a', [{ op: 'add', path: '/metadata/labels/l', value: '1' }]),
      json('v1:configmaps/a', [{ op: 'nonsense', path: '/data/x' }]),
      json('v1:configmaps/a', [{ path: '/data/x' }]),
      json('v1:configmaps/a', []),
      json('v1:configmaps/a', {}),
      json('v1:configmaps/a', '['),
      json('v1:configmaps/a', ''),
      json('v1:configmaps/a', 'null'),
      json('v1:configmaps/a', [1]),
      json('v1:configmaps/a', [{ op: 'add', path: '/data/n', value: 1 }]),
      json('v1:configmaps/a', [{ op: 'replace', path: '/kind', value: 'Pod' }]),
      json('v1:configmaps/a', [{ op: 'replace', path: '/metadata/name', value: 'b' }]),
      json('v1:configmaps/a', [{ op: 'replace', path: '', value: {} }]),
      json('v1:configmaps/none', [{ op: 'add', path: '/data/x', value: '1' }]),
      json('v1:configmaps/a', [{ op: 'remove', path: '/metadata' }]),
      json(
        'v1:configmaps/a',
        Array.from({ length: 10001 }, () => ({ op: 'test', path: '/data/x', value: '9' })),
      ),
      json('v1:configmaps/a', [{ op: 'add', path: '/data/a~1b', value: 'slash' }]),
    ],
    'merge patches put one object into another': [
      create(configMap('a', { x: '1', y: '2' })),
      merge('v1:configmaps/a', { data: { x: '2', y: null, z: '3' } }),
      merge('v1:configmaps/a', { data: null }),
      merge('v1:configmaps/a', {}),
      merge('v1:configmaps/a', []),
      merge('v1:configmaps/a', 'x'),
      merge('v1:configmaps/a', '"x"'),
      merge('v1:configmaps/a', 'null'),
      merge('v1:configmaps/a', ''),
      merge('v1:configmaps/a', { data: { n: 1 } }),
      merge('v1:configmaps/a', { data: 'x' }),
      merge('v1:configmaps/a', { kind: 'Pod' }),
      merge('v1:configmaps/a', { apiVersion: 'v2' }),
      merge('v1:configmaps/a', { metadata: { resourceVersion: '1' } }),
      merge('v1:configmaps/a', { metadata: { resourceVersion: '' } }),
      merge('v1:configmaps/a', { metadata: { uid: 'other' } }),
      merge('v1:configmaps/a', { metadata: { labels: { 'bad key': 'x' } } }),
      merge('v1:configmaps/a', { immutable: true }),
      merge('v1:configmaps/a', { data: { x: '5' } }),
      merge('v1:configmaps/none', { data: { x: '5' } }),
      merge('v1:configmaps/a?force=true', { metadata: { labels: { l: '1' } } }),
      merge('v1:configmaps/a?fieldManager=', { metadata: { labels: { l: '2' } } }),
    ],
    'strategic merge patches know lists': [
      {
        send: 'POST apps/v1:deployments',
        body: deployment('a', [
          { name: 'one', image: 'i:1', env: [{ name: 'E', value: '1' }], ports: [{ containerPort: 80 }] },
          { name: 'two', image: 'j:1' },
        ]),
      },
      strategic('apps/v1:deployments/a', {
        spec: { template: { spec: { containers: [{ name: 'one', image: 'i:2' }] } } },
      }),
      strategic('apps/v1:deployments/a', {
        spec: { template: { spec: { containers: [{ name: 'two', $patch: 'delete' }] } } },
      }),
      strategic('apps/v1:deployments/a', {
        spec: { template: { spec: { containers: [{ name: 'one', env: [{ name: 'F', value: '2' }] }] } } },
      }),
      strategic('apps/v1:deployments/a', {
        spec: {
          template: { spec: { $setElementOrder: 1 } },
        },
      }),
      strategic('apps/v1:deployments/a', {
        spec: {
          template: {
            spec: {
              '$setElementOrder/containers': [{ name: 'new' }, { name: 'one' }],
              containers: [{ name: 'new', image: 'k' }],
            },
          },
        },
      }),
      strategic('apps/v1:deployments/a', {
        spec: { template: { spec: { containers: [{ $patch: 'replace' }, { name: 'only', image: 'z' }] } } },
      }),
      strategic('apps/v1:deployments/a', { metadata: { finalizers: ['example.com/a'] } }),
      strategic('apps/v1:deployments/a', { metadata: { finalizers: ['example.com/b'] } }),
      strategic('apps/v1:deployments/a', { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } }),
      strategic('apps/v1:deployments/a', { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }),
      strategic('apps/v1:deployments/a', { spec: { template: { spec: { containers: [{ image: 'nameless' }] } } } }),
      strategic('apps/v1:deployments/a', { $patch: 'nonsense' }),
      strategic('apps/v1:deployments/a', { spec: { replicas: 'x' } }),
      strategic('apps/v1:deployments/a', '[]'),
      strategic('apps/v1:deployments/a', '{'),
      strategic('apps/v1:deployments/a', 'null'),
      strategic('apps/v1:deployments/none', { spec: { replicas: 1 } }),
    ],
    'apply makes, owns and gives up': [
      apply('v1:configmaps/a', 'one', configMap('a', { x: '1', y: '1' })),
      apply('v1:configmaps/a', 'one', configMap('a', { x: '1', y: '1' })),
      apply('v1:configmaps/a', 'two', configMap('a', { x: '2' })),
      apply('v1:configmaps/a', 'two', configMap('a', { x: '1', z: '2' })),
      apply('v1:configmaps/a', 'one', configMap('a', { x: '3', y: '1' })),
      apply('v1:configmaps/a', 'one', configMap('a', { x: '3', y: '1' }), '&force=true'),
      apply('v1:configmaps/a', 'one', configMap('a', { y: '1' })),
      apply('v1:configmaps/a', 'two', configMap('a')),
      merge('v1:configmaps/a?fieldManager=three', { data: { y: '9' } }),
      apply('v1:configmaps/a', 'one', configMap('a', { y: '1' })),
      apply('v1:configmaps/a', 'one', configMap('a', { y: '9' })),
      apply('v1:configmaps/a', 'one', configMap('a', { y: '8' }), '&force=false'),
      apply('v1:configmaps/a', 'one', configMap('a', { y: '8' }), '&force=true&dryRun=All'),
      { send: 'GET v1:configmaps/a' },
    ],
    'apply can be wrong': [
      { send: 'PATCH v1:configmaps/a', body: configMap('a'), headers: applyPatch },
      apply('v1:configmaps/a', 'm', configMap('b')),
      apply('v1:configmaps/a', 'm', { apiVersion: 'v1', kind: 'ConfigMap' }),
      apply('v1:configmaps/a', 'm', { metadata: { name: 'a' } }),
      apply('v1:configmaps/a', 'm', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }),
      apply('v1:configmaps/a', 'm', { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } }),
      apply('v1:configmaps/a', 'm', configMap('a', { x: 1 } as object)),
      apply('v1:configmaps/a', 'm', { ...configMap('a'), unknown: 1 }),
      apply('v1:configmaps/a', 'm', { ...configMap('a'), unknown: 1 }, '&fieldValidation=Strict'),
      apply('v1:configmaps/a', 'm', configMap('a', {}, { managedFields: [] })),
      apply('v1:configmaps/a', 'm', configMap('a', {}, { uid: 'u' })),
      apply('v1:configmaps/a', 'm', configMap('a', {}, { resourceVersion: '5' })),
      apply('v1:configmaps/a', 'm', configMap('a', {}, { namespace: 'other' })),
      apply('v1:configmaps/a', 'm', '['),
      apply('v1:configmaps/a', 'm', 'x'),
      apply('v1:configmaps/a', 'm', ''),
      apply(
        'v1:configmaps/a',
        'm',
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n  x: "2"\n',
      ),
      apply(
        'v1:configmaps/a',
        'm',
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n  x: "2"\n',
        '&fieldValidation=Strict',
      ),
      apply('v1:configmaps/a', 'm', configMap('a'), '&force=maybe'),
      apply('v1:configmaps/a', 'm'.repeat(129), configMap('a')),
      apply('v1:configmaps/A', 'm', configMap('A')),
      apply('v1:pods/p', 'm', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }),
      apply('v1:pods/p/status', 'm', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status: {} }),
    ],
    'apply merges lists by their keys': [
      apply(
        'apps/v1:deployments/a',
        'one',
        deployment('a', [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: '1' }] }]),
      ),
      apply('apps/v1:deployments/a', 'two', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a' },
        spec: {
          template: {
            spec: {
              containers: [
                { name: 'c', env: [{ name: 'B', value: '2' }] },
                { name: 'd', image: 'j' },
              ],
            },
          },
        },
      }),
      apply('apps/v1:deployments/a', 'one', deployment('a', [{ name: 'c', image: 'i' }])),
      apply('apps/v1:deployments/a', 'two', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a' },
        spec: { replicas: 3 },
      }),
      { send: 'PATCH apps/v1:deployments/a/scale', body: { spec: { replicas: 5 } }, headers: mergePatch, as: 'scale' },
      apply('apps/v1:deployments/a', 'two', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a' },
        spec: { replicas: 3 },
      }),
      apply(
        'apps/v1:deployments/a',
        'one',
        deployment('a', [
          { name: 'c', image: 'i' },
          { name: 'c', image: 'j' },
        ]),
      ),
      apply('apps/v1:deployments/a/status', 'three', {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a', labels: { no: 'label' } },
        status: { replicas: 1 },
        spec: { replicas: 9 },
      }),
    ],
    'apply takes over from the last-applied annotation': [
      {
        send: 'POST v1:configmaps?fieldManager=kubectl-client-side-apply',
        body: configMap(
          'a',
          { x: '1' },
          {
            annotations: {
              'kubectl.kubernetes.io/last-applied-configuration':
                '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"}}',
            },
          },
        ),
      },
      apply('v1:configmaps/a', 'kubectl', configMap('a', { x: '2' })),
      { send: 'GET v1:configmaps/a' },
    ],
    'managedFields can be cleared and given': [
      create(configMap('a', { x: '1' })),
      merge('v1:configmaps/a', { metadata: { managedFields: [{}] } }),
      merge('v1:configmaps/a', { data: { x: '2' } }),
      apply('v1:configmaps/a', 'one', configMap('a', { x: '3' })),
      apply('v1:configmaps/a', 'one', configMap('a', { x: '3' }), '&force=true'),
      json('v1:configmaps/a', [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]),
      merge('v1:configmaps/a', { metadata: { managedFields: [] } }),
    ],
    'some kinds are made by an update': [
      {
        send: 'PUT coordination.k8s.io/v1:leases/a',
        body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a', resourceVersion: '7' } },
      },
      {
        send: 'PUT coordination.k8s.io/v1:leases/b',
        body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'b', uid: 'x' } },
      },
      {
        send: 'PUT coordination.k8s.io/v1:leases/c?dryRun=All',
        body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'c' } },
      },
      { send: 'PUT v1:endpoints/d', body: { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'd' } } },
      { send: 'PUT coordination.k8s.io/v1:leases/a', body: { metadata: { name: 'a' }, spec: { holderIdentity: 'h' } } },
    ],
    'writes that change nothing are none': [
      create(configMap('a', { x: '1' })),
      { send: 'GET v1:configmaps/a', as: 'a' },
      { send: 'PUT v1:configmaps/a', body: edited('a') },
      merge('v1:configmaps/a', { data: { x: '1' } }),
      json('v1:configmaps/a', []),
      strategic('v1:configmaps/a', {}),
      { send: 'GET v1:configmaps/a' },
    ],
  },
};
