import type { Case, CaseSuite, JsonObject } from '../case.ts';

// biome-ignore lint/suspicious/noExplicitAny: edits break types on purpose
type Edit = (spec: any, pod: any) => void;

const pod = (name: string, spec: JsonObject, metadata: JsonObject = {}): { object: JsonObject } => ({
  object: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: {
      containers: [
        { name: 'web', image: 'nginx:1', resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2' } } },
      ],
      ...spec,
    },
  },
});
const resize = (base: string, edit: Edit): Case => ({
  update: base,
  subresource: 'resize',
  change: (object) => edit(object.spec, object),
});
const running = (resources?: JsonObject): JsonObject => ({
  phase: 'Running',
  containerStatuses: [
    {
      name: 'web',
      image: 'nginx:1',
      imageID: 'x',
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      ...(resources && { resources }),
    },
  ],
});

export const suite: CaseSuite = {
  bases: {
    plain: pod('plain', {
      initContainers: [
        { name: 'init', image: 'x', resources: { requests: { cpu: '1' } } },
        { name: 'side', image: 'x', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } },
      ],
    }),
    whole: pod('whole', { resources: { limits: { cpu: '4', memory: '4Gi' } } }),
    windows: pod('windows', { os: { name: 'windows' } }),
    mirror: pod('mirror', { nodeName: 'node' }, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
    claims: pod('claims', {
      resourceClaims: [{ name: 'a', resourceClaimName: 'b' }],
      containers: [{ name: 'web', image: 'x', resources: { claims: [{ name: 'a' }], requests: { cpu: '1' } } }],
    }),
    old: { ...pod('old', {}), status: running() },
    new: { ...pod('new', {}), status: running({ requests: { cpu: '1' } }) },
  },
  cases: {
    'processor and memory may change': resize('plain', (spec, { metadata }) => {
      metadata.labels = { ignored: 'yes' };
      spec.dnsPolicy = 'Default';
      spec.containers[0].image = 'ignored';
      spec.containers[0].resources.requests.cpu = '1500m';
      spec.containers[0].resources.requests.memory = '2Gi';
      spec.initContainers[0].resources.requests.cpu = '2';
      spec.initContainers[1].resources.requests.cpu = '2';
    }),
    'limits may be added': resize('plain', (spec) => {
      spec.containers[0].resources.limits.memory = '2Gi';
    }),
    'resources may not be removed': resize('plain', (spec) => {
      spec.containers[0].resources = { requests: { cpu: '1' } };
      spec.initContainers[0].resources = {};
    }),
    'other resources do not change': resize('plain', (spec) => {
      spec.containers[0].resources.requests['ephemeral-storage'] = '1Gi';
      spec.initContainers[0].resources.requests['ephemeral-storage'] = '1Gi';
    }),
    'what happens on a change stays': resize('plain', (spec) => {
      spec.containers[0].resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
    }),
    'the quality of service stays': resize('plain', (spec) => {
      spec.containers[0].resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } };
      for (const container of spec.initContainers)
        container.resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } };
    }),
    'requests stay below limits': resize('plain', (spec) => {
      spec.containers[0].resources.requests.cpu = '3';
    }),
    'containers are not added': resize('plain', (spec) => {
      spec.containers.push({ name: 'b', image: 'x' });
      spec.initContainers.pop();
    }),
    'containers are not renamed': resize('plain', (spec) => {
      spec.containers[0].name = 'other';
      spec.initContainers.reverse();
    }),
    'a pod as a whole may change': resize('whole', (spec) => {
      spec.resources.limits.cpu = '5';
    }),
    'a pod as a whole may begin to ask': resize('plain', (spec) => {
      spec.resources = { limits: { cpu: '10' } };
    }),
    'a pod as a whole does not stop asking': resize('whole', (spec) => {
      spec.resources = undefined;
    }),
    'a pod as a whole does not ask for less things': resize('whole', (spec) => {
      spec.resources = { limits: { cpu: '4' }, requests: { cpu: '1' } };
    }),
    'a pod as a whole does not ask for other things': resize('whole', (spec) => {
      spec.resources.limits['hugepages-2Mi'] = '2Mi';
      spec.resources.requests['hugepages-2Mi'] = '2Mi';
    }),
    'pods on Windows stay as they are': resize('windows', () => {}),
    'mirror pods stay as they are': resize('mirror', () => {}),
    'pods with claims stay as they are': resize('claims', () => {}),
    'nodes must support it': resize('old', (spec) => {
      spec.containers[0].resources.requests.cpu = '1500m';
    }),
    'nodes show that they support it': resize('new', (spec) => {
      spec.containers[0].resources.requests.cpu = '1500m';
    }),
  },
};
