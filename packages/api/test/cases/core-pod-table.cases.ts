import type { Base, CaseSuite, JsonObject } from '../case.ts';

const container = (name: string, fields: JsonObject): JsonObject => ({
  name,
  image: 'x',
  imageID: 'y',
  ready: false,
  restartCount: 0,
  ...fields,
});
const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };
const terminated = (fields: JsonObject): JsonObject => ({
  terminated: { exitCode: 0, startedAt: null, finishedAt: null, ...fields },
});
const waiting = (reason: string): JsonObject => ({ waiting: { reason } });

/** Sentence → the pod to print. */
const pods: Record<string, { spec?: JsonObject; status?: JsonObject }> = {
  'a new pod': {},
  'a pod on a node': {
    spec: { nodeName: 'node-1', readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] },
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }],
      conditions: [
        { type: 'a', status: 'True' },
        { type: 'b', status: 'False' },
        { type: 'Ready', status: 'True' },
      ],
      containerStatuses: [container('web', { ready: true, state: running })],
    },
  },
  'a nominated pod': { status: { phase: 'Pending', nominatedNodeName: 'node-2' } },
  'a gated pod': { spec: { schedulingGates: [{ name: 'a' }] } },
  'a pod with a reason': { status: { phase: 'Failed', reason: 'Evicted' } },
  'a pod that waits': { status: { containerStatuses: [container('web', { state: waiting('ImagePullBackOff') })] } },
  'a pod that ended': {
    status: {
      phase: 'Succeeded',
      containerStatuses: [container('web', { state: terminated({ reason: 'Completed' }) })],
    },
  },
  'a pod that was killed': {
    status: {
      phase: 'Failed',
      containerStatuses: [container('web', { state: terminated({ signal: 9, exitCode: 137 }) })],
    },
  },
  'a pod that failed': {
    status: { phase: 'Failed', containerStatuses: [container('web', { state: terminated({ exitCode: 3 }) })] },
  },
  'a pod of which one container completed': {
    status: {
      phase: 'Running',
      containerStatuses: [
        container('web', { state: terminated({ reason: 'Completed' }) }),
        container('b', { ready: true, state: running }),
      ],
    },
  },
  'a ready pod of which one container completed': {
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        container('web', { state: terminated({ reason: 'Completed' }) }),
        container('b', { ready: true, state: running }),
      ],
    },
  },
  'a pod of which one container completed and another failed': {
    status: {
      phase: 'Failed',
      containerStatuses: [
        container('web', { state: terminated({ reason: 'Completed' }) }),
        container('b', { state: terminated({ reason: 'Error', exitCode: 1 }) }),
      ],
    },
  },
  'a pod that restarted without date': {
    status: {
      phase: 'Running',
      containerStatuses: [container('web', { restartCount: 3, state: running, ready: true })],
    },
  },
  'a pod that restarted some time ago': {
    status: {
      phase: 'Running',
      containerStatuses: [
        container('web', {
          restartCount: 3,
          state: running,
          ready: true,
          lastState: terminated({ exitCode: 1, finishedAt: '2000-01-01T00:00:00Z' }),
        }),
      ],
    },
  },
  'a pod that initialises': {
    spec: {
      initContainers: [
        { name: 'a', image: 'x' },
        { name: 'b', image: 'x' },
      ],
    },
    status: {
      initContainerStatuses: [
        container('a', { state: terminated({}), restartCount: 2 }),
        container('b', { state: waiting('PodInitializing') }),
      ],
      containerStatuses: [container('web', { state: waiting('PodInitializing') })],
    },
  },
  'a pod that fails to initialise': {
    spec: { initContainers: [{ name: 'a', image: 'x' }] },
    status: { initContainerStatuses: [container('a', { state: terminated({ exitCode: 1 }), restartCount: 2 })] },
  },
  'a pod that is killed while it initialises': {
    spec: { initContainers: [{ name: 'a', image: 'x' }] },
    status: { initContainerStatuses: [container('a', { state: terminated({ exitCode: 137, signal: 9 }) })] },
  },
  'a pod that fails to initialise for a reason': {
    spec: { initContainers: [{ name: 'a', image: 'x' }] },
    status: { initContainerStatuses: [container('a', { state: terminated({ exitCode: 1, reason: 'Error' }) })] },
  },
  'a pod that waits to initialise': {
    spec: { initContainers: [{ name: 'a', image: 'x' }] },
    status: { initContainerStatuses: [container('a', { state: waiting('CrashLoopBackOff'), restartCount: 1 })] },
  },
  'a pod with a sidecar': {
    spec: {
      initContainers: [
        { name: 'side', image: 'x', restartPolicy: 'Always' },
        { name: 'a', image: 'x' },
      ],
    },
    status: {
      phase: 'Running',
      initContainerStatuses: [
        container('side', { state: running, started: true, ready: true, restartCount: 1 }),
        container('a', { state: terminated({}), restartCount: 4 }),
      ],
      containerStatuses: [container('web', { state: running, ready: true, restartCount: 2 })],
    },
  },
  'an initialised pod that initialises again': {
    spec: { initContainers: [{ name: 'a', image: 'x' }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Initialized', status: 'True' }],
      initContainerStatuses: [container('a', { state: running, restartCount: 1 })],
      containerStatuses: [container('web', { state: running, ready: true })],
    },
  },
};

const bases = Object.entries(pods).map(([sentence, { spec, status }]): [string, Base] => [
  sentence,
  {
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: sentence.replaceAll(' ', '-').slice(0, 63) },
      spec: { containers: [{ name: 'web', image: 'nginx:1' }], ...spec },
    },
    ...(status && { status }),
  },
]);

export const suite: CaseSuite = {
  bases: Object.fromEntries(bases),
  cases: Object.fromEntries(bases.map(([sentence]) => [`${sentence} is printed`, { table: sentence }])),
};
