import { FeatureGates } from '@coxswain/api';
import type { GivenConfiguration } from './configuration-shape.ts';

/** Defaults of fields for which zero means the same as absent. */
const whenZero = {
  podLogsDir: '/var/log/pods',
  syncFrequency: '1m0s',
  fileCheckFrequency: '20s',
  httpCheckFrequency: '20s',
  address: '0.0.0.0',
  port: 10250,
  registryBurst: 10,
  eventBurst: 100,
  healthzBindAddress: '127.0.0.1',
  streamingConnectionIdleTimeout: '4h0m0s',
  nodeStatusUpdateFrequency: '10s',
  nodeLeaseDurationSeconds: 40,
  imageMinimumGCAge: '2m0s',
  volumeStatsAggPeriod: '1m0s',
  cgroupDriver: 'cgroupfs',
  cpuManagerPolicy: 'none',
  cpuManagerReconcilePeriod: '10s',
  memoryManagerPolicy: 'None',
  topologyManagerPolicy: 'none',
  topologyManagerScope: 'container',
  runtimeRequestTimeout: '2m0s',
  hairpinMode: 'promiscuous-bridge',
  maxPods: 110,
  maxOpenFiles: 1_000_000,
  contentType: 'application/vnd.kubernetes.protobuf',
  kubeAPIBurst: 100,
  evictionPressureTransitionPeriod: '5m0s',
  containerLogMaxSize: '10Mi',
  configMapAndSecretChangeDetectionStrategy: 'Watch',
  volumePluginDir: '/usr/libexec/kubernetes/kubelet-plugins/volume/exec/',
  memoryReservationPolicy: 'None',
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
} as const satisfies GivenConfiguration;

/** Defaults of fields whose zero is a value of its own. */
const whenAbsent = {
  enableServer: true,
  registryPullQPS: 5,
  eventRecordQPS: 50,
  enableDebuggingHandlers: true,
  healthzPort: 10248,
  oomScoreAdj: -999,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  cgroupsPerQOS: true,
  resolvConf: '/etc/resolv.conf',
  cpuCFSQuota: true,
  cpuCFSQuotaPeriod: '100ms',
  nodeStatusMaxImages: 50,
  kubeAPIQPS: 50,
  mergeDefaultEvictionSettings: false,
  enableControllerAttachDetach: true,
  makeIPTablesUtilChains: true,
  iptablesMasqueradeBit: 14,
  iptablesDropBit: 15,
  failSwapOn: true,
  containerLogMaxFiles: 5,
  containerLogMaxWorkers: 1,
  containerLogMonitorInterval: '10s',
  enforceNodeAllocatable: ['pods'],
  enableSystemLogHandler: true,
  enableSystemLogQuery: false,
  enableProfilingHandler: true,
  enableDebugFlagsHandler: true,
  seccompDefault: false,
  failCgroupV1: true,
  memoryThrottlingFactor: 0.9,
  registerNode: true,
  localStorageCapacityIsolation: true,
} as const satisfies GivenConfiguration;

/** Zeros of the fields that have no default. */
const zeros = {
  staticPodPath: '',
  staticPodURL: '',
  staticPodURLHeader: {},
  readOnlyPort: 0,
  tlsCertFile: '',
  tlsPrivateKeyFile: '',
  tlsCipherSuites: [],
  tlsCurvePreferences: [],
  tlsMinVersion: '',
  rotateCertificates: false,
  serverTLSBootstrap: false,
  preloadedImagesVerificationAllowlist: [],
  enableContentionProfiling: false,
  clusterDomain: '',
  clusterDNS: [],
  imageMaximumGCAge: '0s',
  kubeletCgroups: '',
  systemCgroups: '',
  cgroupRoot: '',
  cpuManagerPolicyOptions: {},
  topologyManagerPolicyOptions: {},
  qosReserved: {},
  podCIDR: '',
  runOnce: false,
  evictionSoft: {},
  evictionSoftGracePeriod: {},
  evictionMaxPodGracePeriod: 0,
  evictionMinimumReclaim: {},
  podsPerCore: 0,
  protectKernelDefaults: false,
  featureGates: {},
  memorySwap: {},
  systemReserved: {},
  kubeReserved: {},
  reservedSystemCPUs: '',
  showHiddenMetricsForVersion: '',
  systemReservedCgroup: '',
  kubeReservedCgroup: '',
  allowedUnsafeSysctls: [],
  providerID: '',
  kernelMemcgNotification: false,
  shutdownGracePeriod: '0s',
  shutdownGracePeriodCriticalPods: '0s',
  shutdownGracePeriodByPodPriority: [],
  reservedMemory: [],
  registerWithTaints: [],
  imageServiceEndpoint: '',
} as const satisfies GivenConfiguration;

/** Fields with defaults of their own. */
type Computed =
  | 'nodeStatusReportFrequency'
  | 'podPidsLimit'
  | 'serializeImagePulls'
  | 'imagePullCredentialsVerificationPolicy'
  | 'crashLoopBackOff'
  | 'logging';

type Completed = keyof typeof whenZero | keyof typeof whenAbsent | keyof typeof zeros | Computed;

/** A KubeletConfiguration with all defaults. Fields that are still optional have a meaning when they are absent. */
export type KubeletConfiguration = Required<Pick<GivenConfiguration, Completed>> &
  Omit<GivenConfiguration, Completed | 'authentication' | 'authorization'> & {
    readonly authentication: {
      readonly x509: { readonly clientCAFile: string };
      readonly webhook: { readonly enabled: boolean; readonly cacheTTL: string };
      readonly anonymous: { readonly enabled: boolean };
    };
    readonly authorization: {
      readonly mode: string;
      readonly webhook: { readonly cacheAuthorizedTTL: string; readonly cacheUnauthorizedTTL: string };
    };
  };

/** Adds upstream's defaults. Throws an Error for an unknown feature gate. */
export function completeConfiguration(given: GivenConfiguration): KubeletConfiguration {
  const gates = new FeatureGates(given.featureGates ?? {});
  const { authentication = {}, authorization = {}, podPidsLimit = -1, maxParallelImagePulls = 0 } = given;
  const isUpdateFrequencyGiven = !isZero(given.nodeStatusUpdateFrequency);
  return {
    ...zeros,
    ...whenAbsent,
    ...whenZero,
    ...Object.fromEntries(
      Object.entries(given).filter(([name, value]) => !Object.hasOwn(whenZero, name) || !isZero(value)),
    ),
    authentication: {
      x509: { clientCAFile: authentication.x509?.clientCAFile ?? '' },
      webhook: {
        enabled: authentication.webhook?.enabled ?? true,
        cacheTTL: nonZero(authentication.webhook?.cacheTTL, '2m0s'),
      },
      anonymous: { enabled: authentication.anonymous?.enabled ?? false },
    },
    authorization: {
      mode: authorization.mode || 'Webhook',
      webhook: {
        cacheAuthorizedTTL: nonZero(authorization.webhook?.cacheAuthorizedTTL, '5m0s'),
        cacheUnauthorizedTTL: nonZero(authorization.webhook?.cacheUnauthorizedTTL, '30s'),
      },
    },
    // A frequency that was chosen for updates is also that of reports, as it was before there were two.
    nodeStatusReportFrequency: nonZero(
      given.nodeStatusReportFrequency,
      isUpdateFrequencyGiven ? given.nodeStatusUpdateFrequency! : '5m0s',
    ),
    podPidsLimit: Math.max(podPidsLimit, -1),
    serializeImagePulls: given.serializeImagePulls ?? maxParallelImagePulls < 2,
    imagePullCredentialsVerificationPolicy:
      given.imagePullCredentialsVerificationPolicy ||
      (gates.enabled('KubeletEnsureSecretPulledImages') ? 'NeverVerifyPreloadedImages' : ''),
    crashLoopBackOff:
      gates.enabled('KubeletCrashLoopBackOffMax') && given.crashLoopBackOff?.maxContainerRestartPeriod === undefined
        ? { maxContainerRestartPeriod: '5m0s' }
        : (given.crashLoopBackOff ?? {}),
    logging: {
      ...given.logging,
      format: given.logging?.format || 'text',
      verbosity: given.logging?.verbosity ?? 0,
      flushFrequency: given.logging?.flushFrequency ?? '5s',
    },
  };
}

/** Upstream's thresholds for configuration files that give none. Without a file there are none. */
export const defaultEvictionHard: Readonly<Record<string, string>> = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};

const nonZero = (duration: string | undefined, otherwise: string): string =>
  duration === undefined || isZero(duration) ? otherwise : duration;

/** Durations are in canonical form. */
const isZero = (value: unknown): boolean => value === undefined || value === 0 || value === '' || value === '0s';
