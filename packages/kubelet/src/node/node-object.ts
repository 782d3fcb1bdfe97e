import type { Node, NodeCondition, NodeStatus } from '@coxswain/api/core/v1';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { Image } from '@coxswain/cri';
import type { MachineInfo } from '../machine/machine.ts';
import type { RuntimeHealth } from '../runtime/kube-runtime.ts';
import { type CompleteNodeSpec, defaultNodeReporting, KUBELET_VERSION } from './node-spec.ts';

/** What is known of the node beside what it was made to be. */
export interface NodeFacts {
  readonly machine: MachineInfo;
  /** As `containerd://2.1.5`. */
  readonly runtimeVersion: string;
  /** Undefined if the runtime does not answer. */
  readonly runtime: Pick<RuntimeHealth, 'features' | 'runtimeHandlers'> | undefined;
  readonly images: readonly Image[];
  /** What keeps it from being ready. */
  readonly problems: readonly string[];
  readonly nowMs: number;
}

const mostImageNames = 5;

/** What pods and their updates, and API servers, may need of a node; sorted. */
const declaredFeatures = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];

/** Says that the attach/detach controller attaches the node's volumes. */
export const attachDetachAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach';

/** Labels that are set again on a node that was known before. */
export const defaultLabels: readonly string[] = [
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'node.kubernetes.io/windows-build',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
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
      annotations: {
        ...(spec.controllerAttachDetach !== false && { [attachDetachAnnotation]: 'true' }),
        ...spec.annotations,
      },
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
  const { machine, images } = facts;
  const { port, operatingSystem, architecture } = spec;
  const capacity = { ...withoutHugePages(before.capacity), ...spec.capacity };
  const { maxImages } = { ...defaultNodeReporting, ...spec.reporting };
  const { swapBytes = 0 } = machine;
  return {
    capacity,
    allocatable: { ...capacity, ...spec.allocatable },
    conditions: nodeConditions(facts, before.conditions ?? []),
    addresses: [...spec.addresses],
    daemonEndpoints: { kubeletEndpoint: { Port: port ?? 0 } },
    nodeInfo: {
      machineID: machine.machineId,
      systemUUID: machine.systemUuid,
      bootID: machine.bootId,
      kernelVersion: machine.kernelVersion,
      osImage: machine.osImage,
      containerRuntimeVersion: facts.runtimeVersion,
      kubeletVersion: KUBELET_VERSION,
      kubeProxyVersion: '',
      operatingSystem,
      architecture,
      ...(swapBytes > 0 && { swap: { capacity: swapBytes } }),
    },
    ...(images.length > 0 && {
      images: images
        .toSorted((a, b) => b.size - a.size)
        .slice(0, maxImages === -1 ? undefined : maxImages)
        .map(({ repoDigests, repoTags, size }) => ({
          names: [...repoDigests, ...repoTags].slice(0, mostImageNames),
          sizeBytes: size,
        })),
    }),
    ...featuresOf(facts, before),
    declaredFeatures: [...declaredFeatures],
  };
}

/** Sizes of huge pages that the kernel no longer has go from the status. */
const withoutHugePages = (capacity: NodeStatus['capacity']): NodeStatus['capacity'] =>
  capacity && Object.fromEntries(Object.entries(capacity).filter(([name]) => !name.startsWith('hugepages-')));

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

/** What the runtime can do; as it was if the runtime does not answer. */
function featuresOf({ runtime }: NodeFacts, before: NodeStatus): Pick<NodeStatus, 'features' | 'runtimeHandlers'> {
  const { features, runtimeHandlers } = before;
  if (!runtime) return { ...(features && { features }), ...(runtimeHandlers && { runtimeHandlers }) };
  const { supplementalGroupsPolicy = false } = runtime.features ?? {};
  return {
    features: { supplementalGroupsPolicy },
    ...(runtime.runtimeHandlers.length > 0 && {
      runtimeHandlers: runtime.runtimeHandlers.map(({ name, features: of }) => ({
        name,
        ...(of && {
          features: { recursiveReadOnlyMounts: of.recursiveReadOnlyMounts, userNamespaces: of.userNamespaces },
        }),
      })),
    }),
  };
}

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
