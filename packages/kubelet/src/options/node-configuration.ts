import type { Taint } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import { durationToMs } from '@coxswain/apimachinery/time';
import { isTaintEffect, type KubeletConfiguration, parseCpuSet } from '../configuration/index.ts';
import { type CredentialVerification, verificationPolicies } from '../images/credential-verification.ts';
import { parseNodeIPs } from '../node/node-ips.ts';
import { checkThresholds, type PodLimits, parseReserved, type Reservations } from '../node/node-resources.ts';
import type { NodeFlags } from './kubelet-flags.ts';

/** The configuration of a node as its parts need it: by subject, in units of their own, without words for the same thing. */
export interface NodeConfiguration {
  readonly nodeName: string;
  readonly directories: {
    /** `/var/lib/kubelet`. */
    readonly root: string;
    /** `/var/log/pods`. */
    readonly podLogs: string;
    readonly certificates: string;
    /** Profiles that pods name as `localhostProfile`. */
    readonly seccompProfiles: string;
  };
  readonly runtime: {
    /** Socket of the container runtime. */
    readonly endpoint: string;
    readonly imageEndpoint: string;
    readonly requestTimeoutMs: number;
  };
  readonly registration: {
    /** Whether the kubelet creates its Node. */
    readonly isWanted: boolean;
    readonly labels: Readonly<Record<string, string>>;
    readonly taints: readonly Taint[];
    readonly providerID: string | undefined;
    /** Whether volumes are attached by the controller. */
    readonly controllerAttachDetach: boolean;
  };
  readonly addresses: {
    /** In canonical form; 0.0.0.0 or :: for a family alone. */
    readonly nodeIPs: readonly string[];
    readonly externalCloudProvider: boolean;
  };
  readonly status: {
    readonly updateEveryMs: number;
    readonly reportEveryMs: number;
    /** -1 for all. */
    readonly maxImages: number;
    readonly leaseDurationSeconds: number;
  };
  readonly client: {
    /** 0 for no limit. */
    readonly qps: number;
    readonly burst: number;
    /** 0 for no limit. */
    readonly eventQps: number;
    readonly eventBurst: number;
  };
  readonly dns: {
    readonly servers: readonly string[];
    readonly domain: string;
    /** Undefined if pods inherit nothing from the node. */
    readonly resolvConf: string | undefined;
  };
  readonly cgroups: {
    readonly perQOS: boolean;
    readonly driver: 'cgroupfs' | 'systemd';
    /** Parent of everything: `/` unless several nodes share a machine. */
    readonly root: string;
    /** Whether all pods together are limited to what is allocatable. */
    readonly enforcePods: boolean;
    /** -1 for the node's limit. */
    readonly podPidsLimit: number;
    readonly cpuCFSQuota: boolean;
    readonly cpuCFSQuotaPeriodMicroseconds: number;
    readonly singleProcessOOMKill: boolean | undefined;
    readonly oomScoreAdj: number;
    readonly protectKernelDefaults: boolean;
  };
  readonly security: {
    readonly seccompDefault: boolean;
    readonly allowedUnsafeSysctls: readonly string[];
    readonly makeIPTablesUtilChains: boolean;
  };
  readonly resources: PodLimits & {
    readonly reservations: Reservations;
    /** Whether ephemeral storage is reported and limited. */
    readonly reportsStorage: boolean;
  };
  readonly images: {
    readonly serializePulls: boolean;
    /** Undefined for no limit. */
    readonly maxParallelPulls: number | undefined;
    /** 0 for no limit. */
    readonly pullQps: number;
    readonly pullBurst: number;
    /** For which present images a pod must have a valid login. By default for those that a kubelet has pulled. */
    readonly verification?: CredentialVerification;
    readonly gc: {
      readonly highThresholdPercent: number;
      readonly lowThresholdPercent: number;
      readonly minimumAgeMs: number;
      /** Infinity for no limit. */
      readonly maximumAgeMs: number;
    };
  };
  readonly containers: {
    /** Whether pods are evicted that exceed their limits of local storage. */
    readonly limitsStorage: boolean;
    /** The longest time between restarts of a container that fails; undefined for the usual one. */
    readonly maxRestartPeriodMs: number | undefined;
    readonly gc: {
      readonly minimumAgeMs: number;
      readonly maxPerContainer: number;
      /** Negative for no limit. */
      readonly maxContainers: number;
    };
    readonly logs: {
      readonly maxSizeBytes: number;
      readonly maxFiles: number;
      readonly maxWorkers: number;
      readonly checkEveryMs: number;
    };
  };
  readonly pods: {
    readonly syncEveryMs: number;
    /** Negative if usage of volumes is not computed. */
    readonly volumeStatsEveryMs: number;
    readonly staticPods: {
      /** File or directory; empty for none. */
      readonly path: string;
      readonly checkEveryMs: number;
      /** Empty for none. */
      readonly url: string;
      readonly urlHeaders: Readonly<Record<string, readonly string[]>>;
      readonly urlCheckEveryMs: number;
    };
  };
  readonly server: {
    readonly enabled: boolean;
    readonly port: number;
    /** Whether the certificate is requested from the cluster. */
    readonly requestsCertificate: boolean;
  };
}

/**
 * Derives the configuration of a node. Throws an Error with upstream's message for values that only show to be wrong here: reservations,
 * thresholds, sizes.
 */
export function nodeConfiguration(nodeName: string, flags: NodeFlags, config: KubeletConfiguration): NodeConfiguration {
  const { rootDir, certDir, cloudProvider, nodeIp, nodeLabels = new Map() } = flags;
  const externalCloudProvider = cloudProvider === 'external';
  const endpoint = config.containerRuntimeEndpoint;
  if (endpoint === '') {
    throw new Error(
      'the container runtime endpoint address was not specified or empty, use --container-runtime-endpoint to set',
    );
  }
  const maximumAgeMs = durationToMs(config.imageMaximumGCAge);
  const { maxContainerRestartPeriod } = config.crashLoopBackOff;
  return {
    nodeName,
    directories: {
      root: rootDir,
      podLogs: config.podLogsDir,
      certificates: certDir,
      seccompProfiles: `${rootDir}/seccomp`,
    },
    runtime: {
      endpoint,
      imageEndpoint: config.imageServiceEndpoint || endpoint,
      requestTimeoutMs: durationToMs(config.runtimeRequestTimeout),
    },
    registration: {
      isWanted: config.registerNode,
      labels: Object.fromEntries(nodeLabels),
      taints: [...config.registerWithTaints.map(taintOf), ...(externalCloudProvider ? [uninitialized] : [])],
      providerID: config.providerID || undefined,
      controllerAttachDetach: config.enableControllerAttachDetach,
    },
    addresses: { nodeIPs: parseNodeIPs(nodeIp).addresses, externalCloudProvider },
    status: {
      updateEveryMs: durationToMs(config.nodeStatusUpdateFrequency),
      reportEveryMs: durationToMs(config.nodeStatusReportFrequency),
      maxImages: config.nodeStatusMaxImages,
      leaseDurationSeconds: config.nodeLeaseDurationSeconds,
    },
    client: {
      // As in client-go, zero means its defaults.
      qps: config.kubeAPIQPS || 5,
      burst: config.kubeAPIBurst || 10,
      eventQps: config.eventRecordQPS || 5,
      eventBurst: config.eventBurst || 10,
    },
    dns: {
      servers: config.clusterDNS,
      domain: config.clusterDomain,
      resolvConf: config.resolvConf || undefined,
    },
    cgroups: {
      perQOS: config.cgroupsPerQOS,
      driver: cgroupDriver(config.cgroupDriver),
      root: config.cgroupRoot || '/',
      enforcePods: config.enforceNodeAllocatable.includes('pods'),
      podPidsLimit: config.podPidsLimit,
      cpuCFSQuota: config.cpuCFSQuota,
      cpuCFSQuotaPeriodMicroseconds: durationToMs(config.cpuCFSQuotaPeriod) * 1000,
      singleProcessOOMKill: config.singleProcessOOMKill,
      oomScoreAdj: config.oomScoreAdj,
      protectKernelDefaults: config.protectKernelDefaults,
    },
    security: {
      seccompDefault: flags.seccompDefault || config.seccompDefault,
      allowedUnsafeSysctls: config.allowedUnsafeSysctls,
      makeIPTablesUtilChains: config.makeIPTablesUtilChains,
    },
    resources: {
      maxPods: config.maxPods,
      podsPerCore: config.podsPerCore,
      reservations: reservations(flags, config),
      reportsStorage: config.localStorageCapacityIsolation,
    },
    images: {
      serializePulls: config.serializeImagePulls,
      maxParallelPulls: config.serializeImagePulls ? 1 : config.maxParallelImagePulls,
      pullQps: config.registryPullQPS,
      pullBurst: config.registryBurst,
      verification: {
        // Without its feature gate the policy is empty.
        policy:
          verificationPolicies.find((policy) => policy === config.imagePullCredentialsVerificationPolicy) ??
          'NeverVerify',
        allowlist: config.preloadedImagesVerificationAllowlist,
      },
      gc: {
        highThresholdPercent: config.imageGCHighThresholdPercent,
        lowThresholdPercent: config.imageGCLowThresholdPercent,
        minimumAgeMs: durationToMs(config.imageMinimumGCAge),
        maximumAgeMs: maximumAgeMs === 0 ? Number.POSITIVE_INFINITY : maximumAgeMs,
      },
    },
    containers: {
      limitsStorage: config.localStorageCapacityIsolation,
      maxRestartPeriodMs: maxContainerRestartPeriod === undefined ? undefined : durationToMs(maxContainerRestartPeriod),
      gc: {
        minimumAgeMs: durationToMs(flags.minimumContainerTtlDuration),
        maxPerContainer: flags.maximumDeadContainersPerContainer,
        maxContainers: flags.maximumDeadContainers,
      },
      logs: {
        maxSizeBytes: maxLogSize(config.containerLogMaxSize),
        maxFiles: config.containerLogMaxFiles,
        maxWorkers: config.containerLogMaxWorkers,
        checkEveryMs: durationToMs(config.containerLogMonitorInterval),
      },
    },
    pods: {
      syncEveryMs: durationToMs(config.syncFrequency),
      volumeStatsEveryMs: durationToMs(config.volumeStatsAggPeriod),
      staticPods: {
        path: config.staticPodPath,
        checkEveryMs: durationToMs(config.fileCheckFrequency),
        url: config.staticPodURL,
        urlHeaders: config.staticPodURLHeader,
        urlCheckEveryMs: durationToMs(config.httpCheckFrequency),
      },
    },
    server: {
      enabled: config.enableServer,
      port: config.port,
      requestsCertificate: config.serverTLSBootstrap,
    },
  };
}

/** Of nodes that a cloud controller manager has not seen yet. */
const uninitialized: Taint = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

function taintOf({ key = '', value, effect = '' }: KubeletConfiguration['registerWithTaints'][number]): Taint {
  if (!isTaintEffect(effect)) throw new Error(`invalid taint effect: ${effect}, unsupported taint effect`);
  return { key, ...(value && { value }), effect };
}

function cgroupDriver(name: string): 'cgroupfs' | 'systemd' {
  if (name === 'cgroupfs' || name === 'systemd') return name;
  throw new Error(`unsupported cgroup driver "${name}"; use cgroupfs or systemd`);
}

function reservations(flags: NodeFlags, config: KubeletConfiguration): Reservations {
  const evictionHard = flags.experimentalAllocatableIgnoreEviction ? {} : (config.evictionHard ?? {});
  checkThresholds(evictionHard);
  const kube = prefixed('--kube-reserved', () => parseReserved(config.kubeReserved));
  const system = prefixed('--system-reserved', () => parseReserved(config.systemReserved));
  const cpus = parseCpuSet(config.reservedSystemCPUs).size;
  if (cpus === 0) return { kube, system, evictionHard };
  const { cpu: _, ...kubeWithoutCpu } = kube;
  return { kube: kubeWithoutCpu, system: { ...system, cpu: Quantity.of(cpus) }, evictionHard };
}

function prefixed<T>(flag: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${flag} value failed to parse: ${reason}`, { cause });
  }
}

function maxLogSize(text: string): number {
  const bytes = Quantity.parse(text).asInt64();
  if (bytes === undefined) throw new Error('failed to initialize container log manager: invalid max log size');
  return Number(bytes);
}
