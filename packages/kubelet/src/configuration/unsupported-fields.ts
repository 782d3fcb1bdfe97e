import type { KubeletConfiguration } from './complete-configuration.ts';

interface Unsupported {
  /** The field, with its flag if there is one. */
  readonly field: string;
  /** Whether the configuration asks for what is not supported. */
  readonly isWanted: (config: KubeletConfiguration) => boolean;
  /** What is missing. */
  readonly what: string;
}

const hasEntries = (value: object): boolean => Object.keys(value).length > 0;

/** Fields whose values other than the default would change what the kubelet does, if it could do that. */
const unsupported: readonly Unsupported[] = [
  {
    field: 'cpuManagerPolicy (--cpu-manager-policy)',
    isWanted: ({ cpuManagerPolicy }) => cpuManagerPolicy !== 'none',
    what: 'a CPU manager',
  },
  {
    field: 'cpuManagerPolicyOptions (--cpu-manager-policy-options)',
    isWanted: ({ cpuManagerPolicyOptions }) => hasEntries(cpuManagerPolicyOptions),
    what: 'a CPU manager',
  },
  {
    field: 'memoryManagerPolicy (--memory-manager-policy)',
    isWanted: ({ memoryManagerPolicy }) => memoryManagerPolicy !== 'None',
    what: 'a memory manager',
  },
  {
    field: 'reservedMemory (--reserved-memory)',
    isWanted: ({ reservedMemory }) => reservedMemory.length > 0,
    what: 'a memory manager',
  },
  {
    field: 'topologyManagerPolicy (--topology-manager-policy)',
    isWanted: ({ topologyManagerPolicy }) => topologyManagerPolicy !== 'none',
    what: 'a topology manager',
  },
  {
    field: 'topologyManagerPolicyOptions (--topology-manager-policy-options)',
    isWanted: ({ topologyManagerPolicyOptions }) => hasEntries(topologyManagerPolicyOptions),
    what: 'a topology manager',
  },
  {
    field: 'qosReserved (--qos-reserved)',
    isWanted: ({ qosReserved }) => hasEntries(qosReserved),
    what: 'reservations by QoS class',
  },
  {
    field: 'evictionSoft (--eviction-soft)',
    isWanted: ({ evictionSoft }) => hasEntries(evictionSoft),
    what: 'eviction of pods',
  },
  {
    field: 'evictionMinimumReclaim (--eviction-minimum-reclaim)',
    isWanted: ({ evictionMinimumReclaim }) => hasEntries(evictionMinimumReclaim),
    what: 'eviction of pods',
  },
  {
    field: 'shutdownGracePeriod',
    isWanted: ({ shutdownGracePeriod }) => shutdownGracePeriod !== '0s',
    what: 'a graceful node shutdown',
  },
  {
    field: 'shutdownGracePeriodByPodPriority',
    isWanted: ({ shutdownGracePeriodByPodPriority: periods }) => periods.length > 0,
    what: 'a graceful node shutdown',
  },
  {
    field: 'memorySwap.swapBehavior',
    isWanted: ({ memorySwap }) => memorySwap.swapBehavior === 'LimitedSwap',
    what: 'swap for containers',
  },
  {
    field: 'memoryReservationPolicy',
    isWanted: ({ memoryReservationPolicy }) => memoryReservationPolicy !== 'None',
    what: 'memory protection by cgroups',
  },
  {
    field: 'enforceNodeAllocatable (--enforce-node-allocatable)',
    isWanted: ({ enforceNodeAllocatable }) => enforceNodeAllocatable.some((each) => each !== 'pods' && each !== 'none'),
    what: 'limits for processes beside pods',
  },
  {
    field: 'systemCgroups (--system-cgroups)',
    isWanted: ({ systemCgroups }) => systemCgroups !== '',
    what: 'a cgroup for processes of the system',
  },
  {
    field: 'userNamespaces.idsPerPod',
    isWanted: ({ userNamespaces }) => (userNamespaces?.idsPerPod ?? 65_536) !== 65_536,
    what: 'ranges of IDs of another size',
  },
  {
    field: 'enableSystemLogQuery',
    isWanted: ({ enableSystemLogQuery }) => enableSystemLogQuery === true,
    what: 'queries of the logs of services',
  },
];

/** Returns a problem for each field that asks for what this kubelet does not have. */
export const unsupportedFields = (config: KubeletConfiguration): string[] =>
  unsupported
    .filter(({ isWanted }) => isWanted(config))
    .map(({ field, what }) => `${field}: this kubelet does not have ${what}; leave the field out`);

/** Returns a notice for each field that has less effect than it says. */
export function fieldNotices(config: KubeletConfiguration): string[] {
  const notices: readonly (readonly [isWanted: boolean, notice: string])[] = [
    [config.tracing !== undefined, 'tracing makes no difference: spans are not exported'],
    [
      config.kubeletCgroups !== '',
      'kubeletCgroups makes no difference: the kubelet stays in the cgroup in which it is started',
    ],
    [config.enableContentionProfiling, 'enableContentionProfiling makes no difference: it profiles locks of Go'],
    [config.kernelMemcgNotification, 'kernelMemcgNotification makes no difference: pods are not evicted'],
    [
      hasEntries(config.evictionHard ?? {}),
      'evictionHard only keeps resources from pods: pods are not evicted when its thresholds are met',
    ],
  ];
  const gates = Object.keys(config.featureGates).filter((name) => !honouredGates.includes(name));
  return [
    ...notices.flatMap(([isWanted, notice]) => (isWanted ? [notice] : [])),
    ...gates.map((name) => `featureGates: ${name} makes no difference: the kubelet uses the defaults of v1.36`),
  ];
}

/** Gates that have an effect here. */
const honouredGates: readonly string[] = [
  'AllowDNSOnlyNodeCSR',
  'GracefulNodeShutdown',
  'GracefulNodeShutdownBasedOnPodPriority',
  'KubeletCrashLoopBackOffMax',
  'KubeletEnsureSecretPulledImages',
  'MemoryQoS',
  'RotateKubeletServerCertificate',
];
