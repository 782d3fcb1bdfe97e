import type { Case, CaseSuite, JsonObject } from '../case.ts';

// biome-ignore lint/suspicious/noExplicitAny: edits break types on purpose
type Edit = (spec: any, pod: any) => void;

const pod = (name: string, spec: JsonObject, metadata: JsonObject = {}): { object: JsonObject } => ({
  object: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'web', image: 'nginx:1' }], ...spec },
  },
});
const update = (base: string, edit: Edit, subresource?: string): Case => ({
  update: base,
  ...(subresource && { subresource }),
  change: (object) => edit(object.spec, object),
});
const term = (...keys: string[]): JsonObject => ({
  matchExpressions: keys.map((key) => ({ key, operator: 'Exists' })),
});
const required = (...nodeSelectorTerms: JsonObject[]): JsonObject => ({
  requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
});
const appArmor = 'container.apparmor.security.beta.kubernetes.io/web';

export const suite: CaseSuite = {
  bases: {
    plain: pod('plain', {
      initContainers: [{ name: 'init', image: 'busybox:1' }],
      activeDeadlineSeconds: 100,
      tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 }],
      volumes: [
        { name: 'data', emptyDir: {} },
        { name: 'config', configMap: { name: 'c' } },
      ],
    }),
    gated: pod('gated', {
      schedulingGates: [{ name: 'a' }, { name: 'b' }],
      nodeSelector: { x: 'y' },
      affinity: { nodeAffinity: required(term('a'), {}) },
    }),
    open: pod('open', { schedulingGates: [{ name: 'a' }] }),
    mirror: pod('mirror', { nodeName: 'node' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
    profiled: pod('profiled', {}, { annotations: { [appArmor]: 'runtime/default' } }),
    huge: pod('huge', {
      containers: Array.from({ length: 12 }, (_, i) => ({
        name: `c${i}`,
        image: 'x',
        env: [{ name: 'A', value: String(i) }],
        ports: [{ containerPort: i + 1 }],
      })),
    }),
  },
  cases: {
    'nothing changes': update('plain', () => {}),
    'images, deadline and tolerations may change': update('plain', (spec) => {
      spec.containers[0].image = 'nginx:2';
      spec.initContainers[0].image = 'busybox:2';
      spec.activeDeadlineSeconds = 50;
      spec.tolerations[0].tolerationSeconds = 20;
      spec.tolerations.push({ key: 'b', operator: 'Exists' });
    }),
    'metadata may change and the generation stays': update('plain', (_, { metadata }) => {
      metadata.labels = { a: 'b' };
      metadata.generation = 7;
    }),
    'status is not changed through the pod': update('plain', (_, object) => {
      object.status = { phase: 'Running' };
    }),
    'a wrong label is told of as often as upstream looks': update('plain', (_, { metadata }) => {
      metadata.labels = { 'a b': 'c' };
    }),
    'other fields are shown as a difference': update('plain', (spec) => {
      spec.dnsPolicy = 'Default';
      spec.hostNetwork = true;
      spec.containers[0].env = [{ name: 'A', value: '<&>' }];
    }),
    'a difference has several parts': update('plain', (spec) => {
      spec.volumes[0].name = 'other';
      spec.volumes[1].configMap.items = [{ key: 'a', path: 'b', mode: 256 }];
      spec.schedulerName = 'mine';
    }),
    'a difference in a long text': update('huge', (spec) => {
      spec.containers[3].env[0].value = 'other';
      spec.containers[7].ports = undefined;
      spec.containers[11].livenessProbe = { httpGet: { port: 'http' } };
      spec.containers[0].resources = { requests: { cpu: '1' } };
    }),
    'a difference at the ends': update('huge', (spec) => {
      spec.volumes = [{ name: 'a', emptyDir: { sizeLimit: '1Gi' } }];
      spec.hostnameOverride = 'x';
    }),
    'a reordering of containers': update('huge', (spec) => {
      spec.containers.push(spec.containers.shift());
    }),
    'containers are not added': update('plain', (spec) => {
      spec.containers.push({ name: 'b', image: 'x' });
    }),
    'containers that initialise are not removed': update('plain', (spec) => {
      spec.initContainers = undefined;
    }),
    'images are not emptied': update('plain', (spec) => {
      spec.containers[0].image = '';
      spec.initContainers[0].image = ' x';
    }),
    'the deadline does not move away': update('plain', (spec) => {
      spec.activeDeadlineSeconds = 200;
    }),
    'the deadline is not negative': update('plain', (spec) => {
      spec.activeDeadlineSeconds = -1;
    }),
    'the deadline is not taken away': update('plain', (spec) => {
      spec.activeDeadlineSeconds = undefined;
    }),
    'the deadline may be set': update('open', (spec) => {
      spec.activeDeadlineSeconds = 5;
    }),
    'tolerations are not taken away': update('plain', (spec) => {
      spec.tolerations = [];
    }),
    'tolerations are not changed': update('plain', (spec) => {
      spec.tolerations[0].key = 'b';
    }),
    'new tolerations are valid': update('plain', (spec) => {
      spec.tolerations.push({ key: 'a b', operator: 'Exists' });
    }),
    'gates are only taken away': update('gated', (spec) => {
      spec.schedulingGates = [{ name: 'b' }, { name: 'c' }];
    }),
    'gates may be taken away': update('gated', (spec) => {
      spec.schedulingGates = [{ name: 'b' }];
    }),
    'gates are not added': update('plain', (spec) => {
      spec.schedulingGates = [{ name: 'b' }];
    }),
    'a gated pod may ask for more of nodes': update('gated', (spec) => {
      spec.nodeSelector.z = 'w';
      spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions.push(
        {
          key: 'b',
          operator: 'Exists',
        },
      );
      spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution = [
        { weight: 1, preference: term('x') },
      ];
    }),
    'a gated pod without affinity may get one': update('open', (spec) => {
      spec.affinity = { nodeAffinity: required(term('a')) };
      spec.nodeSelector = { a: 'b' };
    }),
    'a gated pod does not get an affinity to pods': update('open', (spec) => {
      spec.affinity = {
        nodeAffinity: required(term('a')),
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a', labelSelector: {} }] },
      };
    }),
    'a gated pod does not ask for less of nodes': update('gated', (spec) => {
      spec.nodeSelector = { x: 'z' };
      spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms = [
        term('b'),
        term('c'),
      ];
    }),
    'a gated pod keeps the number of its terms': update('gated', (spec) => {
      spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.pop();
    }),
    'a gated pod keeps its terms': update('gated', (spec) => {
      spec.affinity = undefined;
      spec.nodeSelector = undefined;
    }),
    'the mark of mirror pods stays': update('mirror', (_, { metadata }) => {
      metadata.annotations = {};
    }),
    'the mark of mirror pods is not added': update('plain', (_, { metadata }) => {
      metadata.annotations = { 'kubernetes.io/config.mirror': 'x' };
    }),
    'annotations of AppArmor stay': update('profiled', (_, { metadata }) => {
      metadata.annotations = { [appArmor]: 'unconfined' };
    }),
    'annotations of AppArmor are not added': update('plain', (_, { metadata }) => {
      metadata.annotations = { [appArmor]: 'unconfined' };
    }),
    'ephemeral containers are not added to the pod itself': update('plain', (spec) => {
      spec.ephemeralContainers = [{ name: 'debug', image: 'busybox' }];
    }),
    'ephemeral containers are added through their subresource': update(
      'plain',
      (spec, { metadata }) => {
        metadata.labels = { ignored: 'yes' };
        spec.dnsPolicy = 'Default';
        spec.ephemeralContainers = [{ name: 'debug', image: 'busybox', targetContainerName: 'web' }];
      },
      'ephemeralcontainers',
    ),
    'ephemeral containers are valid': update(
      'plain',
      (spec) => {
        spec.ephemeralContainers = [
          { name: 'web', image: 'busybox', ports: [{ containerPort: 1 }], targetContainerName: 'gone' },
          {
            name: 'a',
            image: ' x',
            resources: { limits: { cpu: '1' } },
            volumeMounts: [{ name: 'data', mountPath: '/d', subPath: 'x' }],
          },
        ];
      },
      'ephemeralcontainers',
    ),
    'mirror pods have no ephemeral containers': update(
      'mirror',
      (spec) => {
        spec.ephemeralContainers = [{ name: 'debug', image: 'busybox' }];
      },
      'ephemeralcontainers',
    ),
  },
};
