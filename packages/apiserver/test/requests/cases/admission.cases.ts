import { mergePatch } from '../headers.ts';
import { type Call, edited, type Suite } from '../scenario.ts';

const post = (resource: string, body: object, as?: string): Call => ({
  send: `POST ${resource}`,
  body,
  ...(as !== undefined && { as }),
});
/** Waits before the call until all caches of the server are current. */
const settled = (call: Call): Call => ({ ...call, settle: true });
const patch = (send: string, body: object): Call => ({ send: `PATCH ${send}`, body, headers: mergePatch });

const container = { name: 'c', image: 'nginx' };
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [container], ...spec },
});
const account = (name: string, more: object = {}, metadata: object = {}): Call =>
  post('v1:serviceaccounts', { metadata: { name, ...metadata }, ...more });
const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
const claim = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Two certificate requests, one of them for a member of system:masters. */
const requests = {
  masters:
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZ01JR0hBZ0VBTUNVeEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRwdFlYTjBaWEp6TVFvd0NBWURWUVFEREFGNApNRmt3RXdZSEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUVpM2ZxMGV1enp3a1QyckxyaGZEbm8wamFkK3BiCjgwYytWRGlaTi8rNyt1TDhqYTRxQ2NoZUROWDVrb0I3cVU4U1NUVUtjMTdIMGRPTWRHaENndFdSZ3FBQU1Bb0cKQ0NxR1NNNDlCQU1DQTBnQU1FVUNJRUc0TU1wRGdIZmZBWlc1aCtlQk4wOVNPZm03cXlrcGgzVS9HQ3Rha3ZGTApBaUVBL1RjOE1FMDlwL1F2dlQyKzBSRDExV0RreTZ3MWtlWms0YUdWL2tLUFVmcz0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==',
  plain:
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIVk1Id0NBUUF3R2pFTU1Bb0dBMVVFQ2d3RFpHVjJNUW93Q0FZRFZRUUREQUY0TUZrd0V3WUhLb1pJemowQwpBUVlJS29aSXpqMERBUWNEUWdBRWkzZnEwZXV6endrVDJyTHJoZkRubzBqYWQrcGI4MGMrVkRpWk4vKzcrdUw4CmphNHFDY2hlRE5YNWtvQjdxVThTU1RVS2MxN0gwZE9NZEdoQ2d0V1JncUFBTUFvR0NDcUdTTTQ5QkFNQ0Ewa0EKTUVZQ0lRRHJTdkZhUGEvR3BxWE9Jbnd0OXZhc2JRZVFOQ2xqZkJnalc4QzhDcXBzRXdJaEFOaWZwb1IzTVJMNAo2UTR2NWI2YWlpS3hnY1lKNWVoMnNYRDlCYjlSdEgyYwotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K',
};
const signingRequest = (name: string, request: string, signerName: string) => ({
  metadata: { name },
  spec: { request, signerName, usages: ['client auth'] },
});

/** Default admission plug-ins. */
export const suite: Suite = {
  server: 'default',
  scenarios: {
    'a pod runs as a service account': [
      post('v1:pods', pod('early')),
      account('default', { imagePullSecrets: [{ name: 'pull' }] }),
      settled(post('v1:pods', pod('p'))),
      post('v1:pods', pod('lost', { serviceAccountName: 'lost' })),
      post('v1:pods', {
        metadata: { generateName: 'made-' },
        spec: { serviceAccountName: 'lost', containers: [container] },
      }),
      post('v1:pods', pod('without', { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'own' }] })),
      post(
        'v1:pods',
        pod('mounted', {
          initContainers: [{ name: 'i', image: 'a' }],
          containers: [{ ...container, volumeMounts: [{ name: 'own', mountPath }] }],
          volumes: [{ name: 'own', emptyDir: {} }],
        }),
      ),
      post('v1:pods', pod('named', { volumes: [{ name: 'kube-api-access-own', emptyDir: {} }] })),
      account('bare', { automountServiceAccountToken: false }),
      settled(post('v1:pods', pod('bare', { serviceAccountName: 'bare' }))),
      post('v1:pods', pod('asked', { serviceAccountName: 'bare', automountServiceAccountToken: true })),
    ],
    'mirror pods have nothing of the API': [
      post('v1:pods', pod('p', { nodeName: 'n' }, mirror)),
      post('v1:pods', pod('a', { nodeName: 'n', serviceAccountName: 'x' }, mirror)),
      post('v1:pods', pod('b', { nodeName: 'n', volumes: [{ name: 'v', secret: { secretName: 's' } }] }, mirror)),
      post('v1:pods', pod('c', { nodeName: 'n', imagePullSecrets: [{ name: 's' }] }, mirror)),
      post(
        'v1:pods',
        pod(
          'd',
          { nodeName: 'n', volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
          mirror,
        ),
      ),
    ],
    'an account may hold its pods to its secrets': [
      account(
        'default',
        { secrets: [{ name: 'mine' }], imagePullSecrets: [{ name: 'pull' }] },
        { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
      ),
      settled(
        post(
          'v1:pods',
          pod('p', {
            volumes: [{ name: 'v', secret: { secretName: 'mine' } }],
            containers: [{ ...container, envFrom: [{ secretRef: { name: 'mine' } }] }],
          }),
        ),
      ),
      post('v1:pods', pod('a', { volumes: [{ name: 'v', secret: { secretName: 'other' } }] })),
      post(
        'v1:pods',
        pod('b', {
          containers: [
            { ...container, env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } }] },
          ],
        }),
      ),
      post(
        'v1:pods',
        pod('c', { initContainers: [{ name: 'i', image: 'a', envFrom: [{ secretRef: { name: 'other' } }] }] }),
      ),
      post('v1:pods', pod('d', { imagePullSecrets: [{ name: 'pull' }, { name: 'other' }] })),
      patch('v1:pods/p/ephemeralcontainers', {
        spec: {
          ephemeralContainers: [
            {
              name: 'e',
              image: 'a',
              terminationMessagePolicy: 'File',
              imagePullPolicy: 'Always',
              envFrom: [{ secretRef: { name: 'other' } }],
            },
          ],
        },
      }),
    ],
    'pods have the priority of their class': [
      account('default'),
      settled(post('v1:pods', pod('p'), 'p')),
      post('v1:pods', pod('a', { priorityClassName: 'nobodys' })),
      post('v1:pods', pod('b', { priority: 7 })),
      post('v1:pods', pod('c', { priorityClassName: 'system-cluster-critical' })),
      post('v1:pods', pod('d', { preemptionPolicy: 'Never' })),
      { send: 'PUT v1:pods/p', body: edited('p', { 'spec.priority': undefined, 'metadata.labels': { a: 'b' } }) },
      post('scheduling.k8s.io/v1::priorityclasses', {
        metadata: { name: '{{ns}}-default' },
        value: 5,
        globalDefault: true,
        preemptionPolicy: 'Never',
      }),
      settled(
        post('scheduling.k8s.io/v1::priorityclasses', {
          metadata: { name: '{{ns}}-x' },
          value: 6,
          globalDefault: true,
        }),
      ),
      post('scheduling.k8s.io/v1::priorityclasses', { metadata: { name: '{{ns}}-x' }, value: 6 }, 'x'),
      patch('scheduling.k8s.io/v1::priorityclasses/{{ns}}-x', { globalDefault: true }),
      patch('scheduling.k8s.io/v1::priorityclasses/{{ns}}-default', { globalDefault: true, description: 'yes' }),
      post('v1:pods', pod('e')),
      post('v1:pods', pod('f', { preemptionPolicy: 'PreemptLowerPriority' })),
      post('v1:pods', pod('g', { priorityClassName: '{{ns}}-x', priority: 6 })),
      { send: 'DELETE scheduling.k8s.io/v1::priorityclasses/{{ns}}-default' },
      { send: 'DELETE scheduling.k8s.io/v1::priorityclasses/{{ns}}-x' },
    ],
    'pods tolerate nodes that fail for a while': [
      account('default'),
      settled(post('v1:pods', pod('p', { tolerations: [{ operator: 'Exists' }] }))),
      post('v1:pods', pod('q', { tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }] })),
      post(
        'v1:pods',
        pod('r', {
          tolerations: [
            { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoSchedule' },
            { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 },
          ],
        }),
      ),
    ],
    'a new node is not ready': [
      post('v1::nodes', { metadata: { name: '{{ns}}-a' } }),
      post('v1::nodes', {
        metadata: { name: '{{ns}}-b' },
        spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule', value: 'x' }] },
      }),
      { send: 'DELETE v1::nodes/{{ns}}-a' },
      { send: 'DELETE v1::nodes/{{ns}}-b' },
    ],
    'claims are of the default class': [
      post('v1:persistentvolumeclaims', claim('none')),
      post('storage.k8s.io/v1::storageclasses', {
        metadata: { name: '{{ns}}-a', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        provisioner: 'x',
        allowVolumeExpansion: true,
      }),
      settled(post('v1:persistentvolumeclaims', claim('p'), 'p')),
      post('v1:persistentvolumeclaims', claim('own', { storageClassName: 'own' })),
      post('v1:persistentvolumeclaims', claim('empty', { storageClassName: '' })),
      post(
        'v1:persistentvolumeclaims',
        claim('noted', {}, { annotations: { 'volume.beta.kubernetes.io/storage-class': 'own' } }),
      ),
      patch('v1:persistentvolumeclaims/p', { spec: { resources: { requests: { storage: '2Gi' } } } }),
      patch('v1:persistentvolumeclaims/p/status', { status: { phase: 'Bound' } }),
      patch('v1:persistentvolumeclaims/p', { spec: { resources: { requests: { storage: '2Gi' } } } }),
      patch('v1:persistentvolumeclaims/own/status', { status: { phase: 'Bound' } }),
      patch('v1:persistentvolumeclaims/own', { spec: { resources: { requests: { storage: '2Gi' } } } }),
      { send: 'DELETE storage.k8s.io/v1::storageclasses/{{ns}}-a' },
    ],
    'what is in use is protected': [
      post('v1::persistentvolumes', {
        metadata: { name: '{{ns}}-v', finalizers: ['example.com/own'] },
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      }),
      post('v1::persistentvolumes?dryRun=All', {
        metadata: { name: '{{ns}}-w', finalizers: ['kubernetes.io/pv-protection'] },
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      }),
      post('storage.k8s.io/v1::volumeattributesclasses', {
        metadata: { name: '{{ns}}-c' },
        driverName: 'x.example.com',
        parameters: { a: 'b' },
      }),
    ],
    'pods cost what their runtime class says': [
      account('default'),
      settled(post('v1:pods', pod('lost', { runtimeClassName: 'lost' }))),
      post('v1:pods', pod('free', { overhead: { cpu: '1' } })),
      post('node.k8s.io/v1::runtimeclasses', {
        metadata: { name: '{{ns}}' },
        handler: 'h',
        overhead: { podFixed: { cpu: '100m', memory: '1Mi' } },
        scheduling: {
          nodeSelector: { runtime: 'h' },
          tolerations: [
            { key: 'runtime', operator: 'Exists' },
            { key: 'node.kubernetes.io/not-ready', operator: 'Exists' },
          ],
        },
      }),
      settled(post('v1:pods', pod('p', { runtimeClassName: '{{ns}}' }))),
      post('v1:pods', pod('same', { runtimeClassName: '{{ns}}', overhead: { cpu: '0.1', memory: '1Mi' } })),
      post('v1:pods', pod('other', { runtimeClassName: '{{ns}}', overhead: { cpu: '200m' } })),
      post('v1:pods', pod('kept', { runtimeClassName: '{{ns}}', nodeSelector: { a: 'b' } })),
      post('v1:pods', pod('torn', { runtimeClassName: '{{ns}}', nodeSelector: { runtime: 'other' } })),
    ],
    'nobody becomes a master by a certificate': [
      post(
        'certificates.k8s.io/v1::certificatesigningrequests',
        signingRequest('{{ns}}-a', requests.masters, 'kubernetes.io/kube-apiserver-client'),
      ),
      post(
        'certificates.k8s.io/v1::certificatesigningrequests',
        signingRequest('{{ns}}-b', requests.masters, 'example.com/own'),
      ),
      post(
        'certificates.k8s.io/v1::certificatesigningrequests',
        signingRequest('{{ns}}-c', requests.plain, 'kubernetes.io/kube-apiserver-client'),
      ),
    ],
    'ingresses are of the default class': [
      post('networking.k8s.io/v1::ingressclasses', {
        metadata: { name: '{{ns}}', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
        spec: { controller: 'example.com/x' },
      }),
      settled(
        post('networking.k8s.io/v1:ingresses', {
          metadata: { name: 'i' },
          spec: { defaultBackend: { service: { name: 's', port: { number: 1 } } } },
        }),
      ),
      post('networking.k8s.io/v1:ingresses', {
        metadata: { name: 'j', annotations: { 'kubernetes.io/ingress.class': 'x' } },
        spec: { defaultBackend: { service: { name: 's', port: { number: 1 } } } },
      }),
      { send: 'DELETE networking.k8s.io/v1::ingressclasses/{{ns}}' },
    ],
    'pods know where their node is, and do not outgrow it': [
      account('default'),
      post(
        'v1::nodes',
        {
          metadata: {
            name: '{{ns}}',
            labels: { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r', other: 'o' },
          },
        },
        'node',
      ),
      patch('v1::nodes/{{ns}}/status', { status: { allocatable: { cpu: '1', memory: '1Gi' } } }),
      settled(post('v1:pods', pod('p', { nodeName: '{{ns}}' }, { labels: { 'topology.kubernetes.io/zone': 'own' } }))),
      post('v1:pods', pod('q')),
      post('v1:pods/q/binding', { metadata: { name: 'q' }, target: { kind: 'Node', name: '{{ns}}' } }),
      { send: 'GET v1:pods/q' },
      post('v1:pods', pod('s')),
      post('v1:bindings', { metadata: { name: 's' }, target: { kind: 'Node', name: '{{ns}}' } }),
      { send: 'GET v1:pods/s' },
      patch('v1:pods/p/resize', { spec: { containers: [{ ...container, resources: { requests: { cpu: '2' } } }] } }),
      post(
        'v1:pods',
        pod('r', {
          nodeName: '{{ns}}',
          containers: [{ ...container, resources: { requests: { cpu: '1', memory: '1Mi' }, limits: { cpu: '9' } } }],
          initContainers: [{ name: 'i', image: 'a', resources: { requests: { cpu: '500m', memory: '1Mi' } } }],
        }),
        'r',
      ),
      {
        send: 'PUT v1:pods/r/resize',
        body: edited('r', { 'spec.containers.0.resources.requests': { cpu: '2', memory: '3Gi' } }),
      },
      {
        send: 'PUT v1:pods/r/resize',
        body: edited('r', { 'spec.containers.0.resources.requests': { cpu: '900m', memory: '1Mi' } }),
      },
      {
        send: 'PUT v1:pods/r/resize',
        body: edited('r', {
          'metadata.resourceVersion': undefined,
          'spec.initContainers.0.resources.requests': { cpu: '600m', memory: '1Mi' },
        }),
      },
      patch('v1::nodes/{{ns}}', { metadata: { labels: { 'kubernetes.io/os': 'windows' } } }),
      settled({
        send: 'PUT v1:pods/r/resize',
        body: edited('r', {
          'metadata.resourceVersion': undefined,
          'spec.containers.0.resources.requests': { cpu: '800m', memory: '1Mi' },
        }),
      }),
      { send: 'DELETE v1::nodes/{{ns}}' },
      settled({
        send: 'PUT v1:pods/r/resize',
        body: edited('r', {
          'metadata.resourceVersion': undefined,
          'spec.containers.0.resources.requests': { cpu: '700m', memory: '1Mi' },
        }),
      }),
    ],
    'some namespaces stay': [
      { send: 'DELETE v1::namespaces/default' },
      { send: 'DELETE v1::namespaces/kube-system' },
      { send: 'DELETE v1::namespaces/kube-public?dryRun=All' },
      { send: 'DELETE v1::namespaces/{{ns}}' },
      post('v1:configmaps', { metadata: { name: 'x' } }),
      post('v1:configmaps', { metadata: { generateName: 'x-' } }),
      post('/api/v1/namespaces/{{ns}}-lost/configmaps', { metadata: { name: 'x' } }),
      { send: 'DELETE /api/v1/namespaces/{{ns}}-lost/configmaps/x' },
    ],
  },
};
