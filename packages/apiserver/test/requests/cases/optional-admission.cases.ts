import { mergePatch } from '../headers.ts';
import { type Call, edited, type Suite } from '../scenario.ts';

const as =
  (user: string) =>
  (send: string, body?: unknown, more: Partial<Call> = {}): Call => ({
    send,
    user,
    ...(body !== undefined && { body }),
    ...more,
  });
const [n1, alice] = [as('n1'), as('alice')];
const post = (resource: string, body: object, name?: string): Call => ({
  send: `POST ${resource}`,
  body,
  ...(name !== undefined && { as: name }),
});
/** Waits before the call until all caches of the server are current. */
const settled = (call: Call): Call => ({ ...call, settle: true });
const patched = { headers: mergePatch };

const container = { name: 'c', image: 'nginx' };
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [container], ...spec },
});
const account: Call = post('v1:serviceaccounts', { metadata: { name: 'default' } }, 'account');
const asMirror = (owners: object[] = []) => ({
  annotations: { 'kubernetes.io/config.mirror': 'x' },
  ...(owners.length > 0 && { ownerReferences: owners }),
});
const node = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: '{{node.metadata.uid}}' };
const owner = { ...node, controller: true };
const mirror = (name: string, spec: object = {}) => pod(name, { nodeName: 'n1', ...spec }, asMirror([owner]));
const configMap = (name: string, owners: object[]) => ({ metadata: { name, ownerReferences: owners } });
const allow = (...rules: object[]): Call[] => [
  post('rbac.authorization.k8s.io/v1:roles', { metadata: { name: 'r' }, rules }),
  post('rbac.authorization.k8s.io/v1:rolebindings', {
    metadata: { name: 'r' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    subjects: [
      { kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' },
      { kind: 'Group', name: 'system:nodes', apiGroup: 'rbac.authorization.k8s.io' },
    ],
  }),
];
const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
/** Grants permissions to nodes, so that their requests are refused by admission instead of authorization. */
const nodesMay: Call[] = [
  post('rbac.authorization.k8s.io/v1::clusterroles', { metadata: { name: '{{ns}}' }, rules: [everything] }),
  post('rbac.authorization.k8s.io/v1::clusterrolebindings', {
    metadata: { name: '{{ns}}' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: '{{ns}}' },
    subjects: [{ kind: 'Group', name: 'system:nodes', apiGroup: 'rbac.authorization.k8s.io' }],
  }),
];
const nodesMayNot: Call[] = [
  { send: 'DELETE rbac.authorization.k8s.io/v1::clusterrolebindings/{{ns}}' },
  { send: 'DELETE rbac.authorization.k8s.io/v1::clusterroles/{{ns}}' },
];

const requests = {
  n1: 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIc01JR1NBZ0VBTURBeEZUQVRCZ05WQkFvTURITjVjM1JsYlRwdWIyUmxjekVYTUJVR0ExVUVBd3dPYzNsegpkR1Z0T201dlpHVTZiakV3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVNMZCtyUjY3UFBDUlBhCnN1dUY4T2VqU05wMzZsdnpSejVVT0prMy83djY0dnlOcmlvSnlGNE0xZm1TZ0h1cFR4SkpOUXB6WHNmUjA0eDAKYUVLQzFaR0NvQUF3Q2dZSUtvWkl6ajBFQXdJRFNRQXdSZ0loQU9aZlg3V08zTW5nUmw4NXNKVXYxSThsaEg0UQorZjRWSXFMWUlIOHR5dVJSQWlFQWxpcis4RzRGcXdjSXZHM1JmdlFVc1lrUjIvaEJiZzZkUEJ5aEU5bVhOT1U9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=',
  n2: 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIck1JR1NBZ0VBTURBeEZUQVRCZ05WQkFvTURITjVjM1JsYlRwdWIyUmxjekVYTUJVR0ExVUVBd3dPYzNsegpkR1Z0T201dlpHVTZiakl3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVNMZCtyUjY3UFBDUlBhCnN1dUY4T2VqU05wMzZsdnpSejVVT0prMy83djY0dnlOcmlvSnlGNE0xZm1TZ0h1cFR4SkpOUXB6WHNmUjA0eDAKYUVLQzFaR0NvQUF3Q2dZSUtvWkl6ajBFQXdJRFNBQXdSUUloQU41cmk3c0hFR1ZJRktaeExLbTJPWGgvUEJwOQpPaGJvRjlva1dyS0tzMGhDQWlCaGJhZTBpeG5OS0RZUXNOLy9UM1kybU5IZEw0c2J1Rk9iMXlseE5VcnJVQT09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=',
};
const signingRequest = (name: string, request: string, signerName = 'kubernetes.io/kube-apiserver-client-kubelet') => ({
  metadata: { name },
  spec: { request, signerName, usages: ['client auth', 'digital signature'] },
});
const podCertificateRequest = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: {
    signerName: 'example.com/x',
    podName: 'p',
    podUID: '{{p.metadata.uid}}',
    serviceAccountName: 'default',
    serviceAccountUID: '{{account.metadata.uid}}',
    nodeName: 'n1',
    nodeUID: '{{node.metadata.uid}}',
    pkixPublicKey: 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=',
    proofOfPossession: 'AAAA',
    ...spec,
  },
});

/** Admission plug-ins and features that are off by default. */
export const suite: Suite = {
  server: 'strict',
  scenarios: {
    'nodes write about themselves': [
      ...nodesMay,
      settled(as('nobody')('POST v1::nodes', { metadata: { name: 'n1' } })),
      n1('POST v1::nodes', { metadata: { name: 'n2' } }),
      n1('POST v1::nodes', {
        metadata: {
          name: 'n1',
          labels: { 'node-restriction.kubernetes.io/a': 'b', 'x.k8s.io/y': 'z', 'own/label': 'c' },
        },
      }),
      n1(
        'POST v1::nodes',
        {
          metadata: {
            name: 'n1',
            labels: { 'kubernetes.io/hostname': 'n1', 'a.kubelet.kubernetes.io/x': 'y', 'node.kubernetes.io/z': 'z' },
          },
        },
        { as: 'node' },
      ),
      n1(
        'PATCH v1::nodes/n1',
        { metadata: { labels: { 'kubernetes.io/role': 'x', 'b.kubernetes.io/c': 'd' } } },
        patched,
      ),
      n1('PATCH v1::nodes/n1', { spec: { taints: [] } }, patched),
      n1('PATCH v1::nodes/n1', { metadata: { ownerReferences: [owner] } }, patched),
      n1('PATCH v1::nodes/n1/status', { status: { allocatable: { cpu: '1' } } }, patched),
      as('n2')('PATCH v1::nodes/n1/status', { status: { allocatable: { cpu: '1' } } }, patched),
      as('n2')('DELETE v1::nodes/n1'),
      n1('POST coordination.k8s.io/v1:leases', { metadata: { name: 'n1' } }),
      n1('POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?dryRun=All', {
        metadata: { name: 'n2' },
      }),
      n1('POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases?dryRun=All', {
        metadata: { name: 'n1' },
      }),
      n1('POST storage.k8s.io/v1::csinodes', { metadata: { name: 'n2' }, spec: { drivers: [] } }),
      n1('POST resource.k8s.io/v1::resourceslices', {
        metadata: { name: 's' },
        spec: { driver: 'd', nodeName: 'n2', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
      }),
      n1('POST certificates.k8s.io/v1::certificatesigningrequests?dryRun=All', signingRequest('a', requests.n2)),
      n1('POST certificates.k8s.io/v1::certificatesigningrequests?dryRun=All', signingRequest('a', requests.n1)),
      n1('POST certificates.k8s.io/v1::certificatesigningrequests?dryRun=All', signingRequest('a', 'eA==')),
      { send: 'DELETE v1::nodes/n1' },
      ...nodesMayNot,
    ],
    'nodes write about their pods': [
      ...nodesMay,
      account,
      post('v1::nodes', { metadata: { name: 'n1' } }, 'node'),
      settled(n1('POST v1:pods', pod('p', { nodeName: 'n1' }))),
      n1('POST v1:pods', pod('p', { nodeName: 'n2' }, asMirror([owner]))),
      n1('POST v1:pods', pod('p', { nodeName: 'n1' }, asMirror())),
      n1('POST v1:pods', pod('p', { nodeName: 'n1' }, asMirror([owner, { ...owner, kind: 'Pod', controller: false }]))),
      n1('POST v1:pods', pod('p', { nodeName: 'n1' }, asMirror([node]))),
      n1('POST v1:pods', pod('p', { nodeName: 'n1' }, asMirror([{ ...owner, blockOwnerDeletion: true }]))),
      n1('POST v1:pods', pod('p', { nodeName: 'n1' }, asMirror([{ ...owner, uid: 'other' }]))),
      n1('POST v1:pods', mirror('p', { serviceAccountName: 'default' })),
      n1('POST v1:pods', mirror('p', { imagePullSecrets: [{ name: 's' }] })),
      n1('POST v1:pods', mirror('p', { volumes: [{ name: 'v', configMap: { name: 'm' } }] })),
      n1('POST v1:pods', mirror('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'm' } }] })),
      n1('POST v1:pods', mirror('p', { volumes: [{ name: 'v', csi: { driver: 'd' } }] })),
      n1(
        'POST v1:pods',
        mirror('p', {
          volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: { name: 'b', path: 'p' } }] } }],
        }),
      ),
      n1('POST v1:pods', mirror('own', { volumes: [{ name: 'v', emptyDir: {} }] })),
      post('v1:pods', pod('p', { nodeName: 'n1' }), 'p'),
      post('v1:pods', pod('q', { nodeName: 'n2' }), 'q'),
      settled(n1('PATCH v1:pods/p', { metadata: { labels: { a: 'b' } } }, patched)),
      n1('PATCH v1:pods/p/status', { metadata: { labels: { a: 'b' } } }, patched),
      n1('PATCH v1:pods/p/status', { status: { resourceClaimStatuses: [{ name: 'a' }] } }, patched),
      n1('PATCH v1:pods/p/status', { status: { message: 'fine' } }, patched),
      n1('PATCH v1:pods/q/status', { status: { message: 'fine' } }, patched),
      n1('PATCH v1:pods/p/resize', {}, patched),
      n1('POST v1:pods/q/eviction', { metadata: { name: 'q' } }),
      n1('DELETE v1:pods/q'),
      n1('DELETE v1:pods/lost'),
      n1('POST v1:pods/p/eviction?dryRun=All', { metadata: { name: 'p' } }),
      n1('POST v1:persistentvolumeclaims', {}),
      n1('POST v1:serviceaccounts/default/token', { spec: {} }),
      n1('POST v1:serviceaccounts/default/token', {
        spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } },
      }),
      n1('POST v1:serviceaccounts/default/token', {
        spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'other' } },
      }),
      n1('POST v1:serviceaccounts/default/token', {
        spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'q', uid: '{{q.metadata.uid}}' } },
      }),
      n1('POST v1:serviceaccounts/default/token', {
        spec: {
          audiences: ['a', 'b'],
          boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: '{{p.metadata.uid}}' },
        },
      }),
      ...nodesMayNot,
      settled(
        n1('POST v1:serviceaccounts/default/token', {
          spec: {
            audiences: ['a'],
            boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: '{{p.metadata.uid}}' },
          },
        }),
      ),
      n1('POST certificates.k8s.io/v1beta1:podcertificaterequests', podCertificateRequest('r', { nodeName: 'n2' })),
      n1('POST certificates.k8s.io/v1beta1:podcertificaterequests', podCertificateRequest('r', { nodeUID: 'other' })),
      n1('POST certificates.k8s.io/v1beta1:podcertificaterequests', podCertificateRequest('r', { podName: 'lost' })),
      n1('POST certificates.k8s.io/v1beta1:podcertificaterequests', podCertificateRequest('r', { podUID: 'other' })),
      n1(
        'POST certificates.k8s.io/v1beta1:podcertificaterequests',
        podCertificateRequest('r', { podName: 'q', podUID: '{{q.metadata.uid}}' }),
      ),
      n1(
        'POST certificates.k8s.io/v1beta1:podcertificaterequests',
        podCertificateRequest('r', { serviceAccountName: 'other' }),
      ),
      n1(
        'POST certificates.k8s.io/v1beta1:podcertificaterequests',
        podCertificateRequest('r', { serviceAccountUID: 'other' }),
      ),
      { send: 'DELETE v1::nodes/n1' },
    ],
    'owners are for those who may': [
      ...allow({ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'update', 'patch', 'get'] }),
      settled(alice('POST v1:configmaps', configMap('free', []))),
      alice('PATCH v1:configmaps/free', configMap('free', [{ ...node, uid: 'u' }]), patched),
      alice('POST v1:configmaps', configMap('owned', [{ ...node, uid: 'u' }])),
      alice('POST v1:configmaps', configMap('blocking', [{ ...node, uid: 'u', blockOwnerDeletion: true }])),
      alice(
        'POST v1:configmaps',
        configMap('blocking', [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 's', uid: 'u', blockOwnerDeletion: true },
        ]),
      ),
      alice(
        'POST v1:configmaps',
        configMap('blocking', [
          { apiVersion: 'boats/v1', kind: 'Boat', name: 's', uid: 'u', blockOwnerDeletion: true },
        ]),
      ),
      post('v1:configmaps', configMap('mine', [{ ...node, uid: 'u', blockOwnerDeletion: true }])),
      alice('PATCH v1:configmaps/mine', { data: { a: 'b' } }, patched),
    ],
    'pods are made stricter': [
      account,
      settled(
        post(
          'v1:pods',
          pod(
            'p',
            {
              initContainers: [{ name: 'i', image: 'a', imagePullPolicy: 'Never' }],
              containers: [
                {
                  name: 'c',
                  image: 'nginx:1',
                  imagePullPolicy: 'IfNotPresent',
                  resources: { requests: { 'example.com/gpu': '1', cpu: '1' }, limits: { 'example.com/gpu': '1' } },
                },
              ],
              volumes: [{ name: 'v', image: { reference: 'x', pullPolicy: 'Never' } }],
              nodeSelector: { a: 'b' },
            },
            {},
          ),
          'p',
        ),
      ),
      { send: 'PUT v1:pods/p', body: edited('p', { 'metadata.labels': { a: 'b' } }) },
      {
        send: 'PUT v1:pods/p',
        body: edited('p', { 'metadata.resourceVersion': undefined, 'spec.containers.0.image': 'nginx:2' }),
      },
      post('v1:pods', pod('elsewhere', { nodeSelector: { region: 'east' } })),
      post(
        'v1:pods',
        pod('apart', {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'topology.kubernetes.io/zone' }],
            },
          },
        }),
      ),
      { send: 'GET v1::namespaces/{{ns}}', as: 'namespace' },
      {
        send: 'PATCH v1::namespaces/{{ns}}',
        body: {
          metadata: {
            annotations: {
              'scheduler.alpha.kubernetes.io/node-selector': 'a=b, c = d',
              'scheduler.alpha.kubernetes.io/defaultTolerations': '[{"key":"a","operator":"Exists"}]',
              'scheduler.alpha.kubernetes.io/tolerationsWhitelist':
                '[{"key":"a","operator":"Exists"},{"key":"node.kubernetes.io/not-ready","operator":"Exists"},{"key":"node.kubernetes.io/unreachable","operator":"Exists"}]',
            },
          },
        },
        headers: mergePatch,
      },
      settled(post('v1:pods', pod('q'))),
      post('v1:pods', pod('r', { tolerations: [{ key: 'b', operator: 'Exists' }] })),
      post('v1:pods', pod('s', { nodeSelector: { c: 'e' } })),
      {
        send: 'PATCH v1::namespaces/{{ns}}',
        body: { metadata: { annotations: { 'scheduler.alpha.kubernetes.io/node-selector': 'a' } } },
        headers: mergePatch,
      },
      settled(post('v1:pods', pod('t'))),
      {
        send: 'PATCH v1::namespaces/{{ns}}',
        body: { metadata: { annotations: { 'scheduler.alpha.kubernetes.io/node-selector': '-a=b' } } },
        headers: mergePatch,
      },
      settled(post('v1:pods', pod('t'))),
      {
        send: 'PATCH v1::namespaces/{{ns}}',
        body: { metadata: { annotations: { 'scheduler.alpha.kubernetes.io/node-selector': 'a=b b' } } },
        headers: mergePatch,
      },
      settled(post('v1:pods', pod('t'))),
    ],
    'services have no addresses outside': [
      post('v1:services', { metadata: { name: 's' }, spec: { ports: [{ port: 1 }], externalIPs: ['192.0.2.1'] } }),
      post('v1:services', { metadata: { name: 's' }, spec: { ports: [{ port: 1 }] } }),
      { send: 'PATCH v1:services/s', body: { spec: { externalIPs: ['192.0.2.1'] } }, headers: mergePatch },
    ],
    'namespaces are made when they are needed': [
      post('/api/v1/namespaces/{{ns}}-more/configmaps?dryRun=All', { metadata: { name: 'x' } }),
      post('/api/v1/namespaces/{{ns}}-more/configmaps', { metadata: { name: 'x' } }),
      { send: 'GET v1::namespaces/{{ns}}-more' },
    ],
    'groups of pods are of workloads': [
      post('scheduling.k8s.io/v1alpha2:podgroups', {
        metadata: { name: 'g' },
        spec: {
          podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 't' } },
          schedulingPolicy: { gang: { minCount: 2 } },
        },
      }),
      post('scheduling.k8s.io/v1alpha2:workloads', {
        metadata: { name: 'w' },
        spec: { podGroupTemplates: [{ name: 't', schedulingPolicy: { gang: { minCount: 2 } } }] },
      }),
      settled(
        post('scheduling.k8s.io/v1alpha2:podgroups', {
          metadata: { name: 'g' },
          spec: {
            podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 'other' } },
            schedulingPolicy: { gang: { minCount: 2 } },
          },
        }),
      ),
      post('scheduling.k8s.io/v1alpha2:podgroups', {
        metadata: { name: 'g' },
        spec: {
          podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 't' } },
          schedulingPolicy: { gang: { minCount: 2 } },
        },
      }),
      post('scheduling.k8s.io/v1alpha2:podgroups', {
        metadata: { name: 'h' },
        spec: { schedulingPolicy: { gang: { minCount: 2 } }, priority: 5 },
      }),
      post('batch/v1:jobs', {
        metadata: { name: 'j' },
        spec: {
          parallelism: 2,
          template: {
            spec: { restartPolicy: 'Never', containers: [container], schedulingGroup: { podGroupName: 'g' } },
          },
        },
      }),
      settled({ send: 'PATCH batch/v1:jobs/j', body: { spec: { parallelism: 3 } }, headers: mergePatch }),
      { send: 'PATCH batch/v1:jobs/j', body: { spec: { suspend: true } }, headers: mergePatch },
    ],
  },
};
