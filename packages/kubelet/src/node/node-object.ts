import type { Node, NodeCondition, NodeStatus } from '@coxswain/api/core/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { RuntimeImage, RuntimeVersion } from '../runtime/container-runtime.ts';
import { type CompleteNodeSpec, KUBELET_VERSION } from './node-spec.ts';

/** What is known of the node beside what it was made to be. */
export interface NodeFacts {
  readonly version: RuntimeVersion;
  readonly images: readonly RuntimeImage[];
  /** What keeps it from being ready. */
  readonly problems: readonly string[];
  readonly nowMs: number;
}

const mostImages = 50;

/**
 * What pods and their updates may need of a node, sorted.
 *
 * Differs from upstream: `ExtendWebSocketsToKubelet` is not among them, since the kubelet's server has no sessions to extend.
 */
const declaredFeatures = [
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];

/** The node as it comes to a cluster. */
export function newNode(spec: CompleteNodeSpec, facts: NodeFacts): Node {
  const { name, operatingSystem, architecture, providerID } = spec;
  const taints = spec.taints ?? [];
  return {
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': architecture,
        'beta.kubernetes.io/os': operatingSystem,
        'kubernetes.io/arch': architecture,
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': operatingSystem,
        ...spec.labels,
      },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true', ...spec.annotations },
    },
    spec: {
      ...(taints.length > 0 && { taints: [...taints] }),
      ...(providerID !== undefined && { providerID }),
    },
    status: nodeStatus(spec, facts, {}),
  };
}

/** How the node is, where `before` is what was last said of it. What others say that it has is left as it is. */
export function nodeStatus(spec: CompleteNodeSpec, facts: NodeFacts, before: NodeStatus): NodeStatus {
  const { version, images } = facts;
  const { port, operatingSystem, architecture } = spec;
  const id = `hollow-${spec.name}`;
  const capacity = { ...before.capacity, ...spec.capacity };
  return {
    capacity,
    allocatable: { ...capacity, ...spec.allocatable },
    conditions: nodeConditions(facts, before.conditions ?? []),
    addresses: [...spec.addresses],
    daemonEndpoints: { kubeletEndpoint: { Port: port ?? 0 } },
    nodeInfo: {
      machineID: id,
      systemUUID: id,
      bootID: version.bootId,
      kernelVersion: version.kernelVersion,
      osImage: version.osImage,
      containerRuntimeVersion: version.runtimeVersion,
      kubeletVersion: KUBELET_VERSION,
      kubeProxyVersion: '',
      operatingSystem,
      architecture,
    },
    ...(images.length > 0 && {
      images: images.slice(0, mostImages).map(({ names, sizeBytes }) => ({ names: [...names], sizeBytes })),
    }),
    features: { supplementalGroupsPolicy: true },
    declaredFeatures: [...declaredFeatures],
  };
}

/**
 * What was last said of a node whose kubelet comes back: of what others said that it has there is nothing, until they say so
 * again.
 */
export const withoutResourcesOfOthers = (spec: CompleteNodeSpec, before: NodeStatus): NodeStatus => ({
  ...before,
  capacity: Object.fromEntries(
    Object.entries(before.capacity ?? {}).map(([name, has]) => [name, spec.capacity[name] === undefined ? '0' : has]),
  ),
});

/** The pressures that a node may be under; this one never is. */
const pressures = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

/** Ready comes last, as it always has. Conditions of others stay. */
function nodeConditions({ problems, nowMs }: NodeFacts, before: readonly NodeCondition[]): NodeCondition[] {
  const own: NodeCondition[] = [
    ...pressures.map(([type, reason, message]) => ({ type, status: 'False', reason, message })),
    problems.length === 0
      ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
      : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: aggregate(problems) },
  ];
  const now = timeFromDate(new Date(nowMs));
  const others = before.filter(({ type }) => !own.some((condition) => condition.type === type));
  return [
    ...others,
    ...own.map((condition) => {
      const old = before.find(({ type }) => type === condition.type);
      const lastTransitionTime = (old?.status === condition.status && old.lastTransitionTime) || now;
      return { ...condition, lastHeartbeatTime: now, lastTransitionTime };
    }),
  ];
}

const aggregate = (problems: readonly string[]): string =>
  problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`;
