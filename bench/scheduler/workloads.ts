import type { Node, Pod, PodSpec } from '@coxswain/api/core/v1';

/** Work for a scheduler, with upstream's nodes and pods of the test of the same name. */
export interface Workload {
  readonly name: string;
  /** Upstream's own threshold in pods per second, on six cores. */
  readonly threshold: number;
  /** The number of pods to schedule, by which the values are divided. */
  readonly measured: number;
  node(index: number): Partial<Node['metadata']>;
  /**
   * Pods that are on nodes before the measurement. The last `scheduled` ones are bound by the scheduler itself, as are
   * all of upstream's.
   */
  readonly initial: {
    readonly count: number;
    readonly scheduled: number;
    readonly namespace: string;
    readonly pod: Manifest;
  };
  readonly namespace: string;
  readonly pod: Manifest;
}

interface Manifest {
  readonly labels?: Record<string, string>;
  readonly spec: PodSpec;
}

export const nodeCount = 5000;
export const nodeName = (index: number): string => `node-${index}`;

const zone = 'topology.kubernetes.io/zone';
const container = (cpu: string): PodSpec['containers'][number] => ({
  name: 'pause',
  image: 'pause:3.10.2',
  ports: [{ containerPort: 80 }],
  resources: { limits: { cpu, memory: '500Mi' }, requests: { cpu, memory: '500Mi' } },
});
const small = container('100m');
const plain: Manifest = { spec: { containers: [small] } };
/** Returns the manifest of a pod that is already on a node. */
export const onNode = ({ labels, spec }: Manifest, index: number): Manifest => ({
  ...(labels && { labels }),
  spec: { ...spec, nodeName: nodeName(index % nodeCount) },
});
const initial = (pod: Manifest, count = 1000, scheduled = count): Workload['initial'] => ({
  count,
  scheduled,
  namespace: 'sched-0',
  pod,
});

const away: Manifest = {
  labels: { color: 'green' },
  spec: {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            labelSelector: { matchLabels: { color: 'green' } },
            topologyKey: 'kubernetes.io/hostname',
            namespaces: ['sched-1', 'sched-0'],
          },
        ],
      },
    },
    containers: [small],
  },
};

const inZones: Manifest = {
  spec: {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: 'In', values: ['zone1', 'zone2'] }] }],
        },
      },
    },
    containers: [small],
  },
};

const spread: Manifest = {
  labels: { color: 'blue' },
  spec: {
    topologySpreadConstraints: [
      {
        maxSkew: 5,
        topologyKey: zone,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { color: 'blue' } },
      },
    ],
    containers: [small],
  },
};

export const workloads: readonly Workload[] = [
  {
    name: 'basic',
    threshold: 680,
    measured: 10_000,
    node: () => ({}),
    initial: initial(plain),
    namespace: 'sched-1',
    pod: plain,
  },
  {
    name: 'node affinity',
    threshold: 540,
    measured: 10_000,
    node: () => ({ labels: { [zone]: 'zone1' } }),
    initial: initial(inZones),
    namespace: 'sched-1',
    pod: inZones,
  },
  {
    name: 'topology spread',
    threshold: 460,
    measured: 10_000,
    node: (index) => ({ labels: { [zone]: `moon-${(index % 3) + 1}` } }),
    initial: initial(plain),
    namespace: 'sched-1',
    pod: spread,
  },
  {
    name: 'pod anti-affinity',
    threshold: 180,
    measured: 2000,
    node: (index) => ({ labels: { 'kubernetes.io/hostname': nodeName(index) } }),
    initial: initial(away),
    namespace: 'sched-1',
    pod: away,
  },
  {
    name: 'preemption',
    threshold: 570,
    measured: 5000,
    node: () => ({}),
    initial: initial({ spec: { terminationGracePeriodSeconds: 0, containers: [container('900m')] } }, 20_000, 5000),
    namespace: 'sched-1',
    pod: { spec: { priorityClassName: 'important', containers: [container('3000m')] } },
  },
];

export const nodeStatus: Node['status'] = {
  capacity: { pods: '110', cpu: '4', memory: '32Gi' },
  allocatable: { pods: '110', cpu: '4', memory: '32Gi' },
  conditions: [{ type: 'Ready', status: 'True' }],
};

export const podOf = ({ labels, spec }: Manifest, name: string): Pod => ({
  metadata: { name, ...(labels && { labels }) },
  spec,
});
