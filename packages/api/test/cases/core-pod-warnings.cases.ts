import type { Case, CaseSuite, JsonObject } from '../case.ts';

const change = (edit: (spec: JsonObject & { containers: JsonObject[] }, metadata: JsonObject) => void): Case => ({
  create: 'pod',
  change: (pod) => edit(pod.spec, pod.metadata),
});
const oldLabels = [
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'beta.kubernetes.io/instance-type',
  'app.kubernetes.io/created-by',
  'scheduler.alpha.kubernetes.io/preferAvoidPods',
  'node-role.kubernetes.io/master',
];

export const suite: CaseSuite = {
  bases: {
    pod: {
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web' },
        spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
      },
    },
  },
  cases: {
    'names that are no labels': change((_, metadata) => {
      metadata.name = 'a.b';
    }),
    'long names': change((_, metadata) => {
      metadata.name = 'a'.repeat(64);
    }),
    'an old label that selects nodes': change((spec) => {
      spec.nodeSelector = { 'beta.kubernetes.io/os': 'linux' };
    }),
    'old labels in terms and constraints': change((spec) => {
      spec.affinity = {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: oldLabels.map((key) => ({ key, operator: 'Exists' })) }],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              preference: {
                matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'In', values: ['a b', 'c'] }],
              },
            },
          ],
        },
      };
      spec.topologySpreadConstraints = [
        { maxSkew: 1, topologyKey: 'failure-domain.beta.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
      ];
    }),
    'annotations without function': change((_, metadata) => {
      metadata.annotations = {
        'scheduler.alpha.kubernetes.io/critical-pod': '',
        'security.alpha.kubernetes.io/sysctls': '',
        'security.alpha.kubernetes.io/unsafe-sysctls': '',
      };
    }),
    'repeated aliases and secrets': change((spec) => {
      spec.hostAliases = [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }];
      spec.imagePullSecrets = [{ name: 'a' }, { name: 'a' }, { name: '' }];
    }),
    'fractions of bytes': change((spec) => {
      spec.overhead = { memory: '1500m', 'ephemeral-storage': '1m' };
      spec.containers[0]!.resources = {
        limits: { memory: '1500m', 'ephemeral-storage': '2500m' },
        requests: { memory: '500m', 'ephemeral-storage': '1100m' },
      };
    }),
    'variables that hide others': change((spec) => {
      spec.containers[0]!.env = [
        { name: 'A', value: 'a' },
        { name: 'A', value: '$(A)b' },
        { name: 'A', value: '$(A)' },
        { name: 'A', value: 'c' },
        { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ];
    }),
    'ports that collide': change((spec) => {
      spec.containers = [
        {
          name: 'a',
          image: 'x',
          ports: [
            { containerPort: 80 },
            { containerPort: 80 },
            { containerPort: 80, hostPort: 80 },
            { containerPort: 80, hostPort: 80, hostIP: '1.1.1.1' },
            { containerPort: 81, hostIP: '1.1.1.1', name: 'same' },
            { containerPort: 80, protocol: 'UDP' },
          ],
        },
        { name: 'b', image: 'x', ports: [{ containerPort: 82, name: 'same' }] },
      ];
    }),
    'terms that select no pods': change((spec) => {
      const terms = {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a' }],
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'a' } }],
      };
      spec.affinity = { podAffinity: terms, podAntiAffinity: terms };
    }),
    'addresses in an unusual form': change((spec) => {
      spec.dnsConfig = { nameservers: ['::0001', '::ffff:1.2.3.4'] };
      spec.hostAliases = [{ ip: '2001:DB8::1' }];
    }),
    'storage of an ephemeral claim in fractions of bytes': change((spec) => {
      spec.volumes = [
        {
          name: 'a',
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } },
            },
          },
        },
      ];
    }),
  },
};
