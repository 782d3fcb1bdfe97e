import { applyPatch, asMetadata, asTable, jsonPatch, mergePatch, strategicPatch, yaml } from '../headers.ts';
import { type Call, edited, type Suite } from '../scenario.ts';

const patch = (path: string, body: unknown, headers: Record<string, string> = mergePatch): Call => ({
  send: `PATCH ${path}`,
  body,
  headers,
});
const post = (path: string, body: unknown, as?: string): Call => ({ send: `POST ${path}`, body, ...(as && { as }) });
const container = { name: 'c', image: 'i' };
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [container], ...spec },
});
const workload = (name: string) => ({
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'x' } },
    template: { metadata: { labels: { app: 'x' } }, spec: { containers: [container] } },
  },
});
const scale = (name: string, replicas: number, metadata: object = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name, ...metadata },
  spec: { replicas },
});
const review = (group: string, kind: string, spec?: object) => ({
  apiVersion: `${group}/v1`,
  kind,
  ...(spec && { spec }),
});
const eviction = (name: string, options: object = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name },
  ...options,
});
/** A certificate request, and a certificate issued for it. */
const request =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIWU1IOENBUUF3SFRFTU1Bb0dBMVVFQ2d3RFpHVjJNUTB3Q3dZRFZRUUREQVJxWVc1bE1Ga3dFd1lIS29aSQp6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUVsZ2xEd0pqTXQvY2ZZY1YraytWR1Ziak1Ia3ppMkhBMXVIY3dRTkdkCmw3UGpicDF1OE5UUUFhSm5ETFZWckxLOWo2ZWNYTm9LQzh3RUpqaTRiL1RYMmFBQU1Bb0dDQ3FHU000OUJBTUMKQTBrQU1FWUNJUUN3aEZYdWYzRHlVUmk4VVNTdGI5dGhRLzYxb0diYldFWHRyVmhlclk2QTl3SWhBSnpwSEVCTgpQbGRGbElYMEQxcGVLYUVEVHZTUWI2cy9zWHIvOG5KVjRXUTQKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==';
const certificate =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJjakNDQVJtZ0F3SUJBZ0lVRzMwUFRTby9xcjZaZUlVaVFCZTR2Y2ZvVkdRd0NnWUlLb1pJemowRUF3SXcKRHpFTk1Bc0dBMVVFQXd3RWFtRnVaVEFlRncweU5qRXhNVFV4TXpBeU1EZGFGdzB6TmpFeE1USXhNekF5TURkYQpNQTh4RFRBTEJnTlZCQU1NQkdwaGJtVXdXVEFUQmdjcWhrak9QUUlCQmdncWhrak9QUU1CQndOQ0FBU1dDVVBBCm1NeTM5eDloeFg2VDVVWlZ1TXdlVE9MWWNEVzRkekJBMFoyWHMrTnVuVzd3MU5BQm9tY010Vldzc3IyUHA1eGMKMmdvTHpBUW1PTGh2OU5mWm8xTXdVVEFkQmdOVkhRNEVGZ1FVaFZHYmlQNE02ZHc2aWx4b0FxYkhmVUZyamxvdwpId1lEVlIwakJCZ3dGb0FVaFZHYmlQNE02ZHc2aWx4b0FxYkhmVUZyamxvd0R3WURWUjBUQVFIL0JBVXdBd0VCCi96QUtCZ2dxaGtqT1BRUURBZ05IQURCRUFpQW5PMy94WTRtcmQ3RHNIb0ZYaFhEc01hWi9rYWZ4RVlCT29XRXkKbXpXcTZnSWdWQjFaY3F2Z1JiemcrV2NBSlJzczRhOHU5Vko3WlhhaVNVNmRNdm0xdjlJPQotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg==';

/** Subresources, and reviews. */
export const suite: Suite = {
  scenarios: {
    'a deployment can be scaled': [
      post('apps/v1:deployments', workload('d'), 'd'),
      { send: 'GET apps/v1:deployments/d/scale', as: 'scale' },
      { send: 'PUT apps/v1:deployments/d/scale', body: edited('scale', { 'spec.replicas': 3 }), as: 'scaled' },
      { send: 'PUT apps/v1:deployments/d/scale', body: edited('scale', { 'spec.replicas': 4 }) },
      { send: 'PUT apps/v1:deployments/d/scale', body: scale('d', 5) },
      { send: 'PUT apps/v1:deployments/d/scale?dryRun=All', body: scale('d', 9) },
      { send: 'PUT apps/v1:deployments/d/scale', body: scale('d', -1) },
      { send: 'PUT apps/v1:deployments/d/scale', body: scale('other', 1) },
      { send: 'PUT apps/v1:deployments/d/scale', body: { kind: 'Deployment', apiVersion: 'apps/v1' } },
      { send: 'PUT apps/v1:deployments/none/scale', body: scale('none', 1) },
      patch('apps/v1:deployments/d/scale', { spec: { replicas: 2 } }),
      patch('apps/v1:deployments/d/scale', [{ op: 'replace', path: '/spec/replicas', value: 7 }], jsonPatch),
      patch('apps/v1:deployments/d/scale', { spec: { replicas: 8 } }, strategicPatch),
      patch('apps/v1:deployments/d/scale', { spec: { replicas: -8 } }),
      patch('apps/v1:deployments/d/scale', { spec: { unknown: 1 } }),
      patch('apps/v1:deployments/d/scale', { metadata: { resourceVersion: '1' }, spec: { replicas: 8 } }),
      { send: 'PATCH apps/v1:deployments/d/scale?fieldManager=m', body: scale('d', 6), headers: applyPatch },
      { send: 'PATCH apps/v1:deployments/d/scale?fieldManager=m&force=true', body: scale('d', 6), headers: applyPatch },
      { send: 'GET apps/v1:deployments/d/scale', headers: asTable },
      { send: 'GET apps/v1:deployments/d/scale', headers: asMetadata },
      { send: 'GET apps/v1:deployments/d' },
      post('apps/v1:replicasets', workload('r')),
      patch('apps/v1:replicasets/r/scale', { spec: { replicas: 2 } }),
      post('apps/v1:statefulsets', { ...workload('s') }),
      patch('apps/v1:statefulsets/s/scale', { spec: { replicas: 2 } }),
      post('v1:replicationcontrollers', { metadata: { name: 'c' }, spec: { template: workload('x').spec.template } }),
      { send: 'GET v1:replicationcontrollers/c/scale' },
      patch('v1:replicationcontrollers/c/scale', { spec: { replicas: 2 } }),
    ],
    'status is written apart': [
      post('apps/v1:deployments', { ...workload('d'), status: { replicas: 9 } }, 'd'),
      {
        send: 'PUT apps/v1:deployments/d/status',
        body: edited('d', { 'status.replicas': 2, 'spec.replicas': 5 }),
        as: 'd',
      },
      { send: 'PUT apps/v1:deployments/d', body: edited('d', { 'status.replicas': 7, 'spec.replicas': 6 }), as: 'd' },
      { send: 'PUT apps/v1:deployments/d/status', body: edited('d', { 'metadata.labels': { l: '1' } }) },
      {
        send: 'PUT apps/v1:deployments/d/status',
        body: edited('d', { 'status.replicas': -1, 'metadata.resourceVersion': undefined }),
      },
      patch(
        'apps/v1:deployments/d/status',
        { status: { conditions: [{ type: 'Available', status: 'True' }] } },
        strategicPatch,
      ),
      patch(
        'apps/v1:deployments/d/status',
        { status: { conditions: [{ type: 'Progressing', status: 'True' }] } },
        strategicPatch,
      ),
      patch('apps/v1:deployments/none/status', { status: {} }),
      { send: 'GET apps/v1:deployments/d/status', headers: asTable },
      post('v1::nodes', { metadata: { name: '{{ns}}-n' } }),
      patch('v1::nodes/{{ns}}-n/status', {
        status: { capacity: { cpu: '4' }, addresses: [{ type: 'InternalIP', address: '10.0.0.9' }] },
      }),
      patch('v1::nodes/{{ns}}-n/status', { metadata: { labels: { on: 'status' } } }),
      post('v1:persistentvolumeclaims', {
        metadata: { name: 'p' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
      patch('v1:persistentvolumeclaims/p/status', { status: { phase: 'Bound', capacity: { storage: '1Gi' } } }),
      patch('v1:persistentvolumeclaims/p', { spec: { resources: { requests: { storage: '2Gi' } } } }),
    ],
    'a pod is bound to a node': [
      post('v1:pods', pod('a'), 'a'),
      post('v1:pods/a/binding', { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n' } }),
      { send: 'GET v1:pods/a' },
      post('v1:pods/a/binding', { metadata: { name: 'a' }, target: { kind: 'Node', name: 'm' } }),
      post('v1:pods', pod('b'), 'b'),
      post('v1:bindings', { metadata: { name: 'b' }, target: { name: 'n' } }),
      post('v1:pods', pod('c')),
      post('v1:pods/c/binding?dryRun=All', { metadata: { name: 'c' }, target: { kind: 'Node', name: 'n' } }),
      post('v1:pods/c/binding', { metadata: { name: 'other' }, target: { kind: 'Node', name: 'n' } }),
      post('v1:pods/c/binding', { metadata: { name: 'c' }, target: { kind: 'Pod', name: 'n' } }),
      post('v1:pods/c/binding', { metadata: { name: 'c' }, target: { kind: 'Node' } }),
      post('v1:pods/c/binding', { metadata: { name: 'c', uid: 'x' }, target: { kind: 'Node', name: 'n' } }),
      post('v1:pods/none/binding', { metadata: { name: 'none' }, target: { kind: 'Node', name: 'n' } }),
      post('v1:pods/c/binding', {
        metadata: { name: 'c', annotations: { a: 'b' }, labels: { l: 'm' } },
        target: { kind: 'Node', name: 'n' },
      }),
      { send: 'GET v1:pods/c' },
      post('v1:pods', pod('d', { schedulingGates: [{ name: 'example.com/g' }] })),
      post('v1:pods/d/binding', { metadata: { name: 'd' }, target: { kind: 'Node', name: 'n' } }),
    ],
    'pods are evicted, as budgets allow': [
      post('v1:pods', pod('a', { nodeName: 'n' }, { labels: { app: 'x' } })),
      post('v1:pods/a/eviction?dryRun=All', eviction('a')),
      post('v1:pods/a/eviction', eviction('a', { deleteOptions: { gracePeriodSeconds: 5 } })),
      { send: 'GET v1:pods/a' },
      post('v1:pods/none/eviction', eviction('none')),
      post('v1:pods/a/eviction', eviction('other')),
      post('policy/v1:poddisruptionbudgets', {
        metadata: { name: 'b' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'y' } } },
      }),
      post('v1:pods', pod('p', { nodeName: 'n' }, { labels: { app: 'y' } })),
      patch('v1:pods/p/status', { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }),
      { ...post('v1:pods/p/eviction', eviction('p')), settle: true },
      patch('policy/v1:poddisruptionbudgets/b/status', {
        status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
      }),
      { ...post('v1:pods/p/eviction', eviction('p')), settle: true },
      patch('policy/v1:poddisruptionbudgets/b/status', {
        status: { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 },
      }),
      { ...post('v1:pods/p/eviction', eviction('p')), settle: true },
      { send: 'GET policy/v1:poddisruptionbudgets/b' },
      { send: 'GET v1:pods/p' },
    ],
    'ephemeral containers are added only': [
      post('v1:pods', pod('a')),
      { send: 'GET v1:pods/a/ephemeralcontainers', as: 'a' },
      patch(
        'v1:pods/a/ephemeralcontainers',
        { spec: { ephemeralContainers: [{ name: 'e', image: 'j' }] } },
        strategicPatch,
      ),
      patch(
        'v1:pods/a/ephemeralcontainers',
        { spec: { ephemeralContainers: [{ name: 'f', image: 'j' }] } },
        strategicPatch,
      ),
      patch('v1:pods/a/ephemeralcontainers', { spec: { ephemeralContainers: [] } }),
      patch('v1:pods/a/ephemeralcontainers', { spec: { nodeName: 'x' }, metadata: { labels: { no: 'no' } } }),
      patch('v1:pods/a', { spec: { ephemeralContainers: [{ name: 'g', image: 'j' }] } }, strategicPatch),
      { send: 'PUT v1:pods/none/ephemeralcontainers', body: pod('none') },
    ],
    'pods are resized': [
      post('v1:pods', pod('a', { containers: [{ ...container, resources: { requests: { cpu: '1' } } }] })),
      { send: 'GET v1:pods/a/resize' },
      patch(
        'v1:pods/a/resize',
        { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] } },
        strategicPatch,
      ),
      patch('v1:pods/a/resize', { spec: { containers: [{ name: 'c', image: 'other' }] } }, strategicPatch),
      patch(
        'v1:pods/a',
        { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '3' } } }] } },
        strategicPatch,
      ),
      patch('v1:pods/a', { spec: { containers: [{ name: 'c', image: 'other' }] } }, strategicPatch),
      patch('v1:pods/a', { spec: { nodeName: 'x' } }),
    ],
    'certificates are requested and approved': [
      post('certificates.k8s.io/v1::certificatesigningrequests', {
        metadata: { name: '{{ns}}-c' },
        spec: { request, signerName: 'example.com/s', usages: ['client auth'], username: 'me', groups: ['g'] },
      }),
      { send: 'GET certificates.k8s.io/v1::certificatesigningrequests/{{ns}}-c', as: 'c' },
      {
        send: 'PUT certificates.k8s.io/v1::certificatesigningrequests/{{ns}}-c/approval',
        body: edited('c', { 'status.conditions': [{ type: 'Approved', status: 'True', reason: 'r', message: 'm' }] }),
        as: 'approved',
      },
      {
        send: 'PUT certificates.k8s.io/v1::certificatesigningrequests/{{ns}}-c/approval',
        body: edited('approved', { 'status.conditions': [] }),
      },
      {
        send: 'PUT certificates.k8s.io/v1::certificatesigningrequests/{{ns}}-c/approval',
        body: edited('approved', {
          'status.conditions': [
            { type: 'Approved', status: 'True' },
            { type: 'Denied', status: 'True' },
          ],
        }),
      },
      patch('certificates.k8s.io/v1::certificatesigningrequests/{{ns}}-c/status', { status: { certificate } }),
      patch('certificates.k8s.io/v1::certificatesigningrequests/{{ns}}-c/status', { status: { certificate: 'eA==' } }),
      patch('certificates.k8s.io/v1::certificatesigningrequests/{{ns}}-c', { spec: { usages: ['server auth'] } }),
      patch('certificates.k8s.io/v1::certificatesigningrequests/{{ns}}-c', { metadata: { labels: { l: '1' } } }),
      { send: 'GET certificates.k8s.io/v1::certificatesigningrequests/{{ns}}-c', headers: asTable },
      { send: 'GET certificates.k8s.io/v1::certificatesigningrequests/{{ns}}-c/approval' },
      { send: 'DELETE certificates.k8s.io/v1::certificatesigningrequests/{{ns}}-c' },
      post('certificates.k8s.io/v1::certificatesigningrequests', {
        metadata: { name: '{{ns}}-d' },
        spec: { request: 'eA==', signerName: 'nonsense', usages: ['client auth', 'other'] },
      }),
    ],
    'service accounts get tokens': [
      post('v1:serviceaccounts', { metadata: { name: 's' } }),
      post('v1:serviceaccounts/s/token', review('authentication.k8s.io', 'TokenRequest', {})),
      post(
        'v1:serviceaccounts/s/token',
        review('authentication.k8s.io', 'TokenRequest', { audiences: ['a'], expirationSeconds: 700 }),
      ),
      post('v1:serviceaccounts/s/token', review('authentication.k8s.io', 'TokenRequest', { expirationSeconds: 5 })),
      post('v1:serviceaccounts/none/token', review('authentication.k8s.io', 'TokenRequest', {})),
      post(
        'v1:serviceaccounts/s/token',
        review('authentication.k8s.io', 'TokenRequest', {
          boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' },
        }),
      ),
      post(
        'v1:serviceaccounts/s/token',
        review('authentication.k8s.io', 'TokenRequest', {
          boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'none' },
        }),
      ),
      post('v1:secrets', { metadata: { name: 'k' } }),
      post(
        'v1:serviceaccounts/s/token',
        review('authentication.k8s.io', 'TokenRequest', {
          boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'k' },
        }),
      ),
      post('v1:serviceaccounts/s/token', {}),
    ],
    'reviews answer questions': [
      post(
        'authorization.k8s.io/v1::selfsubjectaccessreviews',
        review('authorization.k8s.io', 'SelfSubjectAccessReview', {
          resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'x' },
        }),
      ),
      post(
        'authorization.k8s.io/v1::selfsubjectaccessreviews',
        review('authorization.k8s.io', 'SelfSubjectAccessReview', {}),
      ),
      post(
        'authorization.k8s.io/v1::selfsubjectaccessreviews',
        review('authorization.k8s.io', 'SelfSubjectAccessReview'),
      ),
      post(
        'authorization.k8s.io/v1::subjectaccessreviews',
        review('authorization.k8s.io', 'SubjectAccessReview', {
          user: 'u',
          nonResourceAttributes: { path: '/x', verb: 'get' },
        }),
      ),
      post(
        'authorization.k8s.io/v1::subjectaccessreviews',
        review('authorization.k8s.io', 'SubjectAccessReview', { nonResourceAttributes: { path: '/x', verb: 'get' } }),
      ),
      post('authorization.k8s.io/v1:localsubjectaccessreviews', {
        ...review('authorization.k8s.io', 'LocalSubjectAccessReview', {
          user: 'u',
          resourceAttributes: { verb: 'get', resource: 'pods', namespace: '{{ns}}' },
        }),
        metadata: { namespace: '{{ns}}' },
      }),
      post(
        'authorization.k8s.io/v1:localsubjectaccessreviews',
        review('authorization.k8s.io', 'LocalSubjectAccessReview', {
          user: 'u',
          resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'other' },
        }),
      ),
      post(
        'authorization.k8s.io/v1::selfsubjectrulesreviews',
        review('authorization.k8s.io', 'SelfSubjectRulesReview', { namespace: 'default' }),
      ),
      post(
        'authorization.k8s.io/v1::selfsubjectrulesreviews',
        review('authorization.k8s.io', 'SelfSubjectRulesReview', {}),
      ),
      post('authentication.k8s.io/v1::tokenreviews', review('authentication.k8s.io', 'TokenReview', { token: 'none' })),
      post('authentication.k8s.io/v1::tokenreviews', review('authentication.k8s.io', 'TokenReview', {})),
      post('authentication.k8s.io/v1::selfsubjectreviews', review('authentication.k8s.io', 'SelfSubjectReview')),
      post(
        'authentication.k8s.io/v1::selfsubjectreviews?dryRun=All',
        review('authentication.k8s.io', 'SelfSubjectReview'),
      ),
      post('authentication.k8s.io/v1::selfsubjectreviews', {
        ...review('authentication.k8s.io', 'SelfSubjectReview'),
        unknown: 1,
      }),
      post('authentication.k8s.io/v1::selfsubjectreviews?fieldValidation=Strict', {
        ...review('authentication.k8s.io', 'SelfSubjectReview'),
        unknown: 1,
      }),
      {
        send: 'POST authentication.k8s.io/v1::selfsubjectreviews',
        body: 'kind: SelfSubjectReview\napiVersion: authentication.k8s.io/v1\n',
        headers: yaml,
      },
      { send: 'POST authentication.k8s.io/v1::selfsubjectreviews', body: {}, headers: asTable },
      { send: 'POST authentication.k8s.io/v1::selfsubjectreviews', body: '{' },
    ],
    'what is passed on to a node needs one': [
      post('v1:pods', pod('a')),
      { send: 'GET v1:pods/a/log' },
      { send: 'GET v1:pods/none/log' },
      { send: 'GET v1:pods/a/log?container=none' },
      { send: 'GET v1:pods/a/log?tailLines=-1' },
      { send: 'GET v1:pods/a/exec?command=x' },
      { send: 'POST v1:pods/none/exec?command=x' },
      { send: 'GET v1:pods/a/exec' },
      { send: 'GET v1:pods/none/attach' },
      { send: 'GET v1:pods/none/portforward' },
      { send: 'GET v1:pods/none/proxy/x' },
      { send: 'GET v1:services/none/proxy/' },
      { send: 'GET v1::nodes/none/proxy/' },
      { send: 'GET v1:services/a:b:c:d/proxy/' },
    ],
  },
};
