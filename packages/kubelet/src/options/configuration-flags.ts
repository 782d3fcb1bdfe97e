import { boolean, type Flag, type FlagType, string, strings } from '@coxswain/component-base';
import { completeConfiguration, type KubeletConfiguration } from '../configuration/index.ts';
import { address, duration, headers, int32, int64, pair, pairs, switches, taints, thresholds } from './flag-types.ts';

/** A flag that sets a field of the configuration. */
export interface ConfigurationFlag<T> extends Flag<T> {
  set(config: KubeletConfiguration, value: T): KubeletConfiguration;
}

/**
 * The configuration without a file. Flags are older than files, and without a file the kubelet's port is as open as it was then.
 */
export const flagDefaults: KubeletConfiguration = completeConfiguration({
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  readOnlyPort: 10255,
});

/** A flag for a field of the configuration itself. */
const field = <Name extends keyof KubeletConfiguration>(
  name: Name,
  type: FlagType<NonNullable<KubeletConfiguration[Name]>>,
  about: string,
): ConfigurationFlag<NonNullable<KubeletConfiguration[Name]>> => ({
  type,
  about,
  byDefault: flagDefaults[name] ?? undefined,
  set: (config, value) => ({ ...config, [name]: value }),
});

/** A flag for a field of an inner object. */
const inner = <T>(
  type: FlagType<T>,
  about: string,
  byDefault: T,
  set: (config: KubeletConfiguration, value: T) => KubeletConfiguration,
): ConfigurationFlag<T> => ({ type, about, byDefault, set });

const { authentication, authorization } = flagDefaults;

/** The deprecated flags for fields of the configuration, grouped as in `--help`. */
export const configurationFlagGroups = {
  'API server': {
    'kube-api-qps': field('kubeAPIQPS', int32, 'Average rate of requests per second to the API server'),
    'kube-api-burst': field('kubeAPIBurst', int32, 'Burst of requests to the API server above that rate'),
    'kube-api-content-type': field('contentType', string, 'Without effect: JSON is sent and understood everywhere'),
    'event-qps': field('eventRecordQPS', int32, 'Average rate of events per second; 0 for no limit'),
    'event-burst': field('eventBurst', int32, 'Burst of events above that rate'),
    'rotate-certificates': field('rotateCertificates', boolean, 'Request new client certificates before they expire'),
    'rotate-server-certificates': field(
      'serverTLSBootstrap',
      boolean,
      'Request the serving certificate from the cluster, and new ones before it expires',
    ),
  },
  Node: {
    'register-node': field('registerNode', boolean, 'Create the Node object'),
    'register-with-taints': field('registerWithTaints', taints, 'Taints of the new node: key=value:effect,…'),
    'provider-id': field('providerID', string, 'The name of the machine at its provider, for spec.providerID'),
    'node-status-update-frequency': field(
      'nodeStatusUpdateFrequency',
      duration,
      'How often the node’s status is computed; it is written when it has changed',
    ),
    'node-status-max-images': field('nodeStatusMaxImages', int32, 'How many images the status lists; -1 for all'),
    'max-pods': field('maxPods', int32, 'How many pods may run on the node'),
    'pods-per-core': field(
      'podsPerCore',
      int32,
      'How many pods may run for each CPU, up to --max-pods; 0 for no limit',
    ),
    'pod-max-pids': field('podPidsLimit', int64, 'How many processes a pod may have; -1 for the node’s limit'),
    'pod-cidr': field('podCIDR', string, 'Addresses of pods without a cluster'),
    'enable-controller-attach-detach': field(
      'enableControllerAttachDetach',
      boolean,
      'Volumes are attached by the attach/detach controller instead of the kubelet',
    ),
    'local-storage-capacity-isolation': field(
      'localStorageCapacityIsolation',
      boolean,
      'Report ephemeral storage, and limit what pods use of it',
    ),
  },
  'Container runtime': {
    'container-runtime-endpoint': field('containerRuntimeEndpoint', string, 'Socket of the container runtime'),
    'image-service-endpoint': field('imageServiceEndpoint', string, 'Socket of the image service, if it is another'),
    'runtime-request-timeout': field(
      'runtimeRequestTimeout',
      duration,
      'Timeout of requests that are not expected to last',
    ),
    'serialize-image-pulls': field('serializeImagePulls', boolean, 'Pull one image at a time'),
    'registry-qps': field('registryPullQPS', int32, 'Average rate of image pulls per second; 0 for no limit'),
    'registry-burst': field('registryBurst', int32, 'Burst of image pulls above that rate'),
    'image-gc-high-threshold': field(
      'imageGCHighThresholdPercent',
      int32,
      'Disk usage above which unused images are removed',
    ),
    'image-gc-low-threshold': field(
      'imageGCLowThresholdPercent',
      int32,
      'Disk usage down to which unused images are removed',
    ),
    'minimum-image-ttl-duration': field('imageMinimumGCAge', duration, 'Unused images younger than this are kept'),
    'container-log-max-size': field('containerLogMaxSize', string, 'Size at which a container’s log is rotated'),
    'container-log-max-files': field('containerLogMaxFiles', int32, 'How many log files of a container are kept'),
  },
  Pods: {
    'pod-manifest-path': field('staticPodPath', string, 'File or directory of static pods'),
    'manifest-url': field('staticPodURL', string, 'URL of static pods'),
    'manifest-url-header': field('staticPodURLHeader', headers, 'Headers for that URL: name:value,…'),
    'file-check-frequency': field('fileCheckFrequency', duration, 'How often the files of static pods are read'),
    'http-check-frequency': field('httpCheckFrequency', duration, 'How often the URL of static pods is read'),
    'sync-frequency': field('syncFrequency', duration, 'How often each pod is checked at least'),
    'cluster-dns': field('clusterDNS', strings, 'Addresses of the cluster’s DNS servers'),
    'cluster-domain': field('clusterDomain', string, 'Domain of the cluster, which pods search'),
    'resolv-conf': field('resolvConf', string, 'Resolver configuration that pods inherit; empty for none'),
    'hairpin-mode': field('hairpinMode', string, 'Without effect: CNI plug-ins decide it'),
    'allowed-unsafe-sysctls': field(
      'allowedUnsafeSysctls',
      strings,
      'Unsafe sysctls that pods may set, or prefixes with *',
    ),
    'volume-plugin-dir': field('volumePluginDir', string, 'Directory of FlexVolume plug-ins'),
    'volume-stats-agg-period': field(
      'volumeStatsAggPeriod',
      duration,
      'How often the disk usage of volumes is computed',
    ),
    runonce: field('runOnce', boolean, 'No longer possible'),
  },
  Resources: {
    'cgroups-per-qos': field('cgroupsPerQOS', boolean, 'Make cgroups for QoS classes and pods'),
    'cgroup-driver': field(
      'cgroupDriver',
      string,
      'Who makes cgroups: cgroupfs or systemd; the runtime’s answer takes precedence',
    ),
    'cgroup-root': field('cgroupRoot', string, 'The cgroup that holds all pods'),
    'cpu-cfs-quota': field('cpuCFSQuota', boolean, 'Enforce CPU limits'),
    'cpu-cfs-quota-period': field('cpuCFSQuotaPeriod', duration, 'Period in which CPU limits are enforced'),
    'kube-reserved': field('kubeReserved', pairs, 'Resources that pods leave to Kubernetes: cpu=200m,memory=500Mi,…'),
    'system-reserved': field('systemReserved', pairs, 'Resources that pods leave to the system'),
    'kube-reserved-cgroup': field('kubeReservedCgroup', string, 'The cgroup of Kubernetes’ own processes'),
    'system-reserved-cgroup': field('systemReservedCgroup', string, 'The cgroup of the system’s processes'),
    'reserved-cpus': field(
      'reservedSystemCPUs',
      string,
      'CPUs that are left to the system, instead of a number of them',
    ),
    'enforce-node-allocatable': field(
      'enforceNodeAllocatable',
      strings,
      'What is limited by cgroups: pods, system-reserved, kube-reserved, those with -compressible, or none',
    ),
    'eviction-hard': field('evictionHard', thresholds, 'Resources that are kept free: memory.available<100Mi,…'),
    'fail-swap-on': field('failSwapOn', boolean, 'Do not start on a machine that swaps'),
    'fail-cgroupv1': field('failCgroupV1', boolean, 'Do not start on a machine with cgroup v1'),
    'protect-kernel-defaults': field(
      'protectKernelDefaults',
      boolean,
      'Fail when a kernel setting is not as the kubelet needs it, instead of changing it',
    ),
    'make-iptables-util-chains': field(
      'makeIPTablesUtilChains',
      boolean,
      'Make the iptables chains that other programs look for',
    ),
    'oom-score-adj': field('oomScoreAdj', int32, 'The kubelet’s own out-of-memory score'),
    'max-open-files': field('maxOpenFiles', int64, 'Without effect: the limit is set by whoever starts the kubelet'),
    'kubelet-cgroups': field('kubeletCgroups', string, 'Without effect: the kubelet stays in its cgroup'),
    'feature-gates': field('featureGates', switches, 'Features to turn on or off, such as NodeLogQuery=true'),
  },
  Server: {
    'enable-server': field('enableServer', boolean, 'Serve the kubelet’s API'),
    address: field('address', address, 'The address to serve on; 0.0.0.0 for all'),
    port: field('port', int32, 'The port to serve on'),
    'read-only-port': field('readOnlyPort', int32, 'A port without authentication; 0 for none'),
    'healthz-bind-address': field('healthzBindAddress', address, 'The address to serve /healthz on'),
    'healthz-port': field('healthzPort', int32, 'The port to serve /healthz on; 0 for none'),
    'tls-cert-file': field(
      'tlsCertFile',
      string,
      'Certificate of the port; without it, a self-signed one in --cert-dir',
    ),
    'tls-private-key-file': field('tlsPrivateKeyFile', string, 'Key of that certificate'),
    'tls-cipher-suites': field('tlsCipherSuites', strings, 'Cipher suites of the port for TLS 1.2'),
    'tls-min-version': field('tlsMinVersion', string, 'The oldest version of TLS: VersionTLS12 or VersionTLS13'),
    'anonymous-auth': inner(
      boolean,
      'Accept requests without credentials, as system:anonymous',
      authentication.anonymous.enabled,
      (config, enabled) => ({ ...config, authentication: { ...config.authentication, anonymous: { enabled } } }),
    ),
    'authentication-token-webhook': inner(
      boolean,
      'Let the API server authenticate bearer tokens',
      authentication.webhook.enabled,
      (config, enabled) => ({
        ...config,
        authentication: { ...config.authentication, webhook: { ...config.authentication.webhook, enabled } },
      }),
    ),
    'authentication-token-webhook-cache-ttl': inner(
      duration,
      'How long its answers are kept',
      authentication.webhook.cacheTTL,
      (config, cacheTTL) => ({
        ...config,
        authentication: { ...config.authentication, webhook: { ...config.authentication.webhook, cacheTTL } },
      }),
    ),
    'client-ca-file': inner(
      string,
      'CAs of client certificates',
      authentication.x509.clientCAFile,
      (config, clientCAFile) => ({ ...config, authentication: { ...config.authentication, x509: { clientCAFile } } }),
    ),
    'authorization-mode': inner(
      string,
      'AlwaysAllow, or Webhook: the API server decides',
      authorization.mode,
      (config, mode) => ({ ...config, authorization: { ...config.authorization, mode } }),
    ),
    'authorization-webhook-cache-authorized-ttl': inner(
      duration,
      'How long permissions are kept',
      authorization.webhook.cacheAuthorizedTTL,
      (config, cacheAuthorizedTTL) => ({
        ...config,
        authorization: {
          ...config.authorization,
          webhook: { ...config.authorization.webhook, cacheAuthorizedTTL },
        },
      }),
    ),
    'authorization-webhook-cache-unauthorized-ttl': inner(
      duration,
      'How long refusals are kept',
      authorization.webhook.cacheUnauthorizedTTL,
      (config, cacheUnauthorizedTTL) => ({
        ...config,
        authorization: {
          ...config.authorization,
          webhook: { ...config.authorization.webhook, cacheUnauthorizedTTL },
        },
      }),
    ),
    'enable-debugging-handlers': field('enableDebuggingHandlers', boolean, 'Serve logs, exec, attach and port-forward'),
    'streaming-connection-idle-timeout': field(
      'streamingConnectionIdleTimeout',
      duration,
      'How long sessions of exec, attach and port-forward may be idle',
    ),
    'contention-profiling': field('enableContentionProfiling', boolean, 'Without effect: it profiles locks of Go'),
  },
  'Only with their defaults': {
    'cpu-manager-policy': field('cpuManagerPolicy', string, 'Only none'),
    'cpu-manager-policy-options': field('cpuManagerPolicyOptions', pair, 'Only none'),
    'cpu-manager-reconcile-period': field('cpuManagerReconcilePeriod', duration, 'Without effect'),
    'memory-manager-policy': field('memoryManagerPolicy', string, 'Only None'),
    'topology-manager-policy': field('topologyManagerPolicy', string, 'Only none'),
    'topology-manager-policy-options': field('topologyManagerPolicyOptions', pairs, 'Only none'),
    'topology-manager-scope': field('topologyManagerScope', string, 'Without effect'),
    'qos-reserved': field('qosReserved', pairs, 'Only none'),
    'eviction-soft': field('evictionSoft', thresholds, 'Only none'),
    'eviction-soft-grace-period': field('evictionSoftGracePeriod', pairs, 'Without effect'),
    'eviction-max-pod-grace-period': field('evictionMaxPodGracePeriod', int32, 'Without effect'),
    'eviction-minimum-reclaim': field('evictionMinimumReclaim', pairs, 'Only none'),
    'eviction-pressure-transition-period': field('evictionPressureTransitionPeriod', duration, 'Without effect'),
    'kernel-memcg-notification': field('kernelMemcgNotification', boolean, 'Without effect'),
    'system-cgroups': field('systemCgroups', string, 'Only none'),
  },
} as const;

/** By name. */
export const configurationFlags = {
  ...configurationFlagGroups['API server'],
  ...configurationFlagGroups.Node,
  ...configurationFlagGroups['Container runtime'],
  ...configurationFlagGroups.Pods,
  ...configurationFlagGroups.Resources,
  ...configurationFlagGroups.Server,
  ...configurationFlagGroups['Only with their defaults'],
};
