import { FeatureGates } from '@coxswain/api';
import { Path, quote } from '@coxswain/apimachinery';
import { parseDuration } from '@coxswain/apimachinery/time';
import { isQualifiedName, isValidLabelValue } from '@coxswain/apimachinery/validation';
import type { KubeletConfiguration } from './complete-configuration.ts';
import { parseCpuSet } from './cpu-set.ts';
import { validateLogging } from './logging.ts';
import { isTaintEffect } from './taint-effect.ts';
import { validateNodeAllocatable } from './validate-node-allocatable.ts';

/** What of the machine decides whether a configuration is valid. */
export interface ValidationMachine {
  readonly isCgroupV2: boolean;
}

/** Returns what is wrong with a configuration, in upstream's words and order. */
export function validateConfiguration(config: KubeletConfiguration, machine: ValidationMachine): string[] {
  const gates = new FeatureGates(config.featureGates);
  const taints = config.registerWithTaints.flatMap(taintProblems);
  return [
    ...numberProblems(config).map(invalid),
    ...taints,
    ...[...managerProblems(config), ...shutdownProblems(config, gates)].map(invalid),
    ...restartProblems(config, gates).map(invalid),
    ...validateNodeAllocatable(config).map(invalid),
    ...choiceProblems(config, gates).map(invalid),
    ...cpuSetProblems(config).map(invalid),
    ...reservedMemoryProblems(config).map(invalid),
    ...machineProblems(config, machine),
    ...validateLogging(config.logging, Path.of('logging')).map(String),
    ...otherProblems(config).map(invalid),
  ];
}

const invalid = (problem: string): string => `invalid configuration: ${problem}`;

const within = (value: number, least: number, most: number): boolean => value >= least && value <= most;
const between = (least: number, most: number): string => `must be between ${least} and ${most}, inclusive`;
const notNegative = 'must not be a negative number';
const nanoseconds = (duration: string | undefined): bigint => parseDuration(duration ?? '0s');
/** As Go prints a `metav1.Duration`. */
const printed = (duration: string): string => `{${duration}}`;

function numberProblems(config: KubeletConfiguration): string[] {
  const period = nanoseconds(config.cpuCFSQuotaPeriod);
  const [high, low] = [config.imageGCHighThresholdPercent, config.imageGCLowThresholdPercent];
  const maximumAge = nanoseconds(config.imageMaximumGCAge);
  const minimumAge = nanoseconds(config.imageMinimumGCAge);
  const { maxParallelImagePulls: pulls } = config;
  const checks: readonly (readonly [boolean, string])[] = [
    [config.nodeLeaseDurationSeconds > 0, 'nodeLeaseDurationSeconds must be greater than 0'],
    [
      config.systemCgroups === '' || config.cgroupRoot !== '',
      'systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified',
    ],
    [config.eventBurst >= 0, `eventBurst (--event-burst) ${config.eventBurst} ${notNegative}`],
    [config.eventRecordQPS >= 0, `eventRecordQPS (--event-qps) ${config.eventRecordQPS} ${notNegative}`],
    [within(config.healthzPort, 0, 65_535), `healthzPort (--healthz-port) ${config.healthzPort} ${between(1, 65_535)}`],
    [
      period >= 1_000_000n && period <= 1_000_000_000n,
      `cpuCFSQuotaPeriod (--cpu-cfs-quota-period) ${printed(config.cpuCFSQuotaPeriod)} must be between 1ms and 1sec, inclusive`,
    ],
    [within(high, 0, 100), `imageGCHighThresholdPercent (--image-gc-high-threshold) ${high} ${between(0, 100)}`],
    [within(low, 0, 100), `imageGCLowThresholdPercent (--image-gc-low-threshold) ${low} ${between(0, 100)}`],
    [
      low < high,
      `imageGCLowThresholdPercent (--image-gc-low-threshold) ${low} must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) ${high}`,
    ],
    [minimumAge >= 0n, `imageMinimumGCAge ${config.imageMinimumGCAge} must not be negative`],
    [maximumAge >= 0n, `imageMaximumGCAge ${config.imageMaximumGCAge} must not be negative`],
    [
      maximumAge <= 0n || maximumAge > minimumAge,
      `imageMaximumGCAge ${config.imageMaximumGCAge} must be greater than imageMinimumGCAge ${config.imageMinimumGCAge}`,
    ],
    [
      within(config.iptablesDropBit, 0, 31),
      `iptablesDropBit (--iptables-drop-bit) ${config.iptablesDropBit} ${between(0, 31)}`,
    ],
    [
      within(config.iptablesMasqueradeBit, 0, 31),
      `iptablesMasqueradeBit (--iptables-masquerade-bit) ${config.iptablesMasqueradeBit} ${between(0, 31)}`,
    ],
    [config.kubeAPIBurst >= 0, `kubeAPIBurst (--kube-api-burst) ${config.kubeAPIBurst} ${notNegative}`],
    [config.kubeAPIQPS >= 0, `kubeAPIQPS (--kube-api-qps) ${config.kubeAPIQPS} ${notNegative}`],
    [
      config.nodeStatusMaxImages >= -1,
      `nodeStatusMaxImages (--node-status-max-images) ${config.nodeStatusMaxImages} must be -1 or greater`,
    ],
    [config.maxOpenFiles >= 0, `maxOpenFiles (--max-open-files) ${config.maxOpenFiles} ${notNegative}`],
    [config.maxPods >= 0, `maxPods (--max-pods) ${config.maxPods} ${notNegative}`],
    [
      within(config.oomScoreAdj, -1000, 1000),
      `oomScoreAdj (--oom-score-adj) ${config.oomScoreAdj} ${between(-1000, 1000)}`,
    ],
    [config.podsPerCore >= 0, `podsPerCore (--pods-per-core) ${config.podsPerCore} ${notNegative}`],
    [within(config.port, 1, 65_535), `port (--port) ${config.port} ${between(1, 65_535)}`],
    [
      within(config.readOnlyPort, 0, 65_535),
      `readOnlyPort (--read-only-port) ${config.readOnlyPort} ${between(0, 65_535)}`,
    ],
    [config.registryBurst >= 0, `registryBurst (--registry-burst) ${config.registryBurst} ${notNegative}`],
    [config.registryPullQPS >= 0, `registryPullQPS (--registry-qps) ${config.registryPullQPS} ${notNegative}`],
    [pulls === undefined || pulls >= 1, `maxParallelImagePulls ${pulls} must be a positive number`],
    [
      !config.serializeImagePulls || pulls === undefined || pulls <= 1,
      'maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false',
    ],
    [
      !config.serverTLSBootstrap || new FeatureGates(config.featureGates).enabled('RotateKubeletServerCertificate'),
      `serverTLSBootstrap ${config.serverTLSBootstrap} requires feature gate RotateKubeletServerCertificate`,
    ],
    [!config.runOnce, `runOnce (--runOnce) ${config.runOnce}, Runonce mode has been deprecated and should not be set`],
  ];
  return failed(checks);
}

const failed = (checks: readonly (readonly [isValid: boolean, problem: string])[]): string[] =>
  checks.flatMap(([isValid, problem]) => (isValid ? [] : [problem]));

function taintProblems(taint: KubeletConfiguration['registerWithTaints'][number]): string[] {
  const { key = '', value = '', effect = '', timeAdded } = taint;
  const isValid =
    isQualifiedName(key).length === 0 &&
    (value === '' || isValidLabelValue(value).length === 0) &&
    (effect === '' || isTaintEffect(effect));
  return [
    ...(isValid ? [] : [`invalid taint: {${key} ${value} ${effect} ${timeAdded ?? '<nil>'}}`]),
    ...(timeAdded === undefined ? [] : [invalid('taint.TimeAdded is not nil')]),
  ];
}

const listed = (names: readonly string[]): string => `[${names.map((name) => quote(name)).join(' ')}]`;

function managerProblems({
  topologyManagerPolicy: policy,
  topologyManagerScope: scope,
}: KubeletConfiguration): string[] {
  const policies = ['none', 'best-effort', 'restricted', 'single-numa-node'];
  return failed([
    [
      policies.includes(policy),
      `topologyManagerPolicy (--topology-manager-policy) ${quote(policy)} must be one of: ${listed(policies)}`,
    ],
    [
      scope === 'container' || scope === 'pod',
      `topologyManagerScope (--topology-manager-scope) ${quote(scope)} must be one of: "container", or "pod"`,
    ],
  ]);
}

function shutdownProblems(config: KubeletConfiguration, gates: FeatureGates): string[] {
  const [all, critical] = [config.shutdownGracePeriod, config.shutdownGracePeriodCriticalPods];
  const [allNs, criticalNs] = [nanoseconds(all), nanoseconds(critical)];
  const isZeroOrSeconds = (period: bigint): boolean => period === 0n || period >= 1_000_000_000n;
  const isAnyGiven = allNs > 0n || criticalNs > 0n;
  const byPriority = config.shutdownGracePeriodByPodPriority.length > 0;
  const graceful = gates.enabled('GracefulNodeShutdown');
  const prioritised = gates.enabled('GracefulNodeShutdownBasedOnPodPriority');
  return failed([
    [
      !graceful || criticalNs <= allNs,
      `shutdownGracePeriodCriticalPods ${printed(critical)} must be <= shutdownGracePeriod ${printed(all)}`,
    ],
    [
      !graceful || isZeroOrSeconds(allNs),
      `shutdownGracePeriod ${printed(all)} must be either zero or otherwise >= 1 sec`,
    ],
    [
      !graceful || isZeroOrSeconds(criticalNs),
      `shutdownGracePeriodCriticalPods ${printed(critical)} must be either zero or otherwise >= 1 sec`,
    ],
    [
      graceful || !isAnyGiven,
      'specifying shutdownGracePeriod or shutdownGracePeriodCriticalPods requires feature gate GracefulNodeShutdown',
    ],
    [
      !prioritised || !byPriority || !isAnyGiven,
      'Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time',
    ],
    [
      prioritised || !byPriority,
      'Specifying shutdownGracePeriodByPodPriority requires feature gate GracefulNodeShutdownBasedOnPodPriority',
    ],
    [
      ['', 'NoSwap', 'LimitedSwap'].includes(config.memorySwap.swapBehavior ?? ''),
      `memorySwap.swapBehavior ${quote(config.memorySwap.swapBehavior ?? '')} must be one of: "", "LimitedSwap" or "NoSwap"`,
    ],
  ]);
}

function restartProblems({ crashLoopBackOff }: KubeletConfiguration, gates: FeatureGates): string[] {
  const { maxContainerRestartPeriod: most } = crashLoopBackOff;
  if (!gates.enabled('KubeletCrashLoopBackOffMax')) {
    return most === undefined
      ? []
      : [
          'FeatureGate KubeletCrashLoopBackOffMax not enabled, CrashLoopBackOff.MaxContainerRestartPeriod must not be set',
        ];
  }
  const ms = Number(nanoseconds(most) / 1_000_000n);
  return most === undefined || within(ms, 1000, 300_000)
    ? []
    : [
        `CrashLoopBackOff.MaxContainerRestartPeriod (got: ${Number(nanoseconds(most)) / 1e9} seconds) must be set between 1s and 300s`,
      ];
}

function choiceProblems(config: KubeletConfiguration, gates: FeatureGates): string[] {
  const { hairpinMode, imagePullCredentialsVerificationPolicy: policy } = config;
  const policies = ['NeverVerify', 'NeverVerifyPreloadedImages', 'NeverVerifyAllowlistedImages', 'AlwaysVerify'];
  const hasAllowlist = config.preloadedImagesVerificationAllowlist.length > 0;
  const mayVerify = gates.enabled('KubeletEnsureSecretPulledImages');
  return failed([
    [
      ['none', 'hairpin-veth', 'promiscuous-bridge'].includes(hairpinMode),
      `option ${quote(hairpinMode)} specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"`,
    ],
    [
      !mayVerify || policies.includes(policy),
      `option ${quote(policy)} specified for imagePullCredentialsVerificationPolicy. Valid options are "NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages" or "AlwaysVerify"`,
    ],
    [
      !mayVerify || !hasAllowlist || policy === 'NeverVerifyAllowlistedImages',
      'can\'t set `preloadedImagesVerificationAllowlist` if `imagePullCredentialsVertificationPolicy` is not "NeverVerifyAllowlistedImages"',
    ],
    [
      mayVerify || policy === '',
      '`imagePullCredentialsVerificationPolicy` must not be set if KubeletEnsureSecretPulledImages feature gate is not enabled',
    ],
    [
      mayVerify || !hasAllowlist,
      '`preloadedImagesVerificationAllowlist` must not be set if KubeletEnsureSecretPulledImages feature gate is not enabled',
    ],
  ]);
}

function cpuSetProblems({
  reservedSystemCPUs,
  systemReservedCgroup,
  kubeReservedCgroup,
}: KubeletConfiguration): string[] {
  if (reservedSystemCPUs === '') return [];
  const problems: string[] = [];
  if (systemReservedCgroup !== '' || kubeReservedCgroup !== '') {
    problems.push(
      "can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)",
    );
  }
  try {
    parseCpuSet(reservedSystemCPUs);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push(`unable to parse reservedSystemCPUs (--reserved-cpus) ${reservedSystemCPUs}, error: ${reason}`);
  }
  return problems;
}

function reservedMemoryProblems({ reservedMemory }: KubeletConfiguration): string[] {
  const seen = new Set<string>();
  return reservedMemory.flatMap(({ numaNode = 0, limits = {} }) =>
    Object.entries(limits).flatMap(([resource, quantity]) => {
      const key = `${numaNode}/${resource}`;
      const isNew = !seen.has(key);
      seen.add(key);
      return failed([
        [
          resource === 'memory' || resource.startsWith('hugepages-'),
          `the limit type ${quote(resource)} for NUMA node ${numaNode} is not supported, only [memory hugepages-<HugePageSize>] is accepted`,
        ],
        [
          !/^[-+]?0*(\.0*)?[a-zA-Z]*$/.test(quantity),
          `reserved memory may not be zero for NUMA node ${numaNode} and resource ${quote(resource)}`,
        ],
        [isNew, `the reserved memory has a duplicate value for NUMA node ${numaNode} and resource ${quote(resource)}`],
      ]);
    }),
  );
}

const idsUnit = 65_536;

function machineProblems(config: KubeletConfiguration, { isCgroupV2 }: ValidationMachine): string[] {
  if (config.failCgroupV1 && !isCgroupV2) {
    return [
      'kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release',
    ];
  }
  if (!isCgroupV2 && config.singleProcessOOMKill === false)
    return [invalid('singleProcessOOMKill must not be explicitly set to false when using cgroup v1')];
  const ids = config.userNamespaces?.idsPerPod;
  if (ids === undefined) return [];
  if (ids < idsUnit) return [invalid(`userNamespaces.idsPerPod must not be less than ${idsUnit}`)];
  if (ids % idsUnit !== 0) return [invalid(`userNamespaces.idsPerPod must be a multiple of ${idsUnit}`)];
  return ids > 2 ** 32 - 1 ? [invalid(`userNamespaces.idsPerPod must not be more than ${2 ** 32 - 1}`)] : [];
}

function otherProblems(config: KubeletConfiguration): string[] {
  const { memoryThrottlingFactor: factor = 0, memoryReservationPolicy: reservation, podLogsDir } = config;
  const gates = new FeatureGates(config.featureGates);
  const shown = quote(podLogsDir);
  return failed([
    [
      factor > 0 && factor <= 1,
      `memoryThrottlingFactor ${factor} must be greater than 0 and less than or equal to 1.0`,
    ],
    [
      reservation !== 'TieredReservation' || gates.enabled('MemoryQoS'),
      `memoryReservationPolicy ${quote(reservation)} requires MemoryQoS feature gate to be enabled`,
    ],
    [
      reservation === 'None' || reservation === 'TieredReservation',
      `option ${quote(reservation)} specified for memoryReservationPolicy. Valid options are "None" or "TieredReservation"`,
    ],
    [config.containerRuntimeEndpoint !== '', 'the containerRuntimeEndpoint was not specified or empty'],
    [
      !config.enableSystemLogQuery || gates.enabled('NodeLogQuery'),
      'NodeLogQuery feature gate is required for enableSystemLogQuery',
    ],
    [
      !config.enableSystemLogQuery || config.enableSystemLogHandler === true,
      'enableSystemLogHandler is required for enableSystemLogQuery',
    ],
    [config.containerLogMaxWorkers >= 1, 'containerLogMaxWorkers must be greater than or equal to 1'],
    [
      nanoseconds(config.containerLogMonitorInterval) >= 3_000_000_000n,
      'containerLogMonitorInterval must be a positive time duration greater than or equal to 3s',
    ],
    [config.containerLogMaxFiles > 1, 'containerLogMaxFiles must be greater than 1'],
    [podLogsDir !== '', 'podLogsDir was not specified'],
    [podLogsDir.startsWith('/'), `pod logs path ${shown} must be absolute path`],
    [isClean(podLogsDir), `pod logs path ${shown} must be normalized`],
    [
      // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with control characters.
      /^[\x00-\x7f]*$/.test(podLogsDir),
      `pod logs path ${shown} mut contains ASCII characters only`,
    ],
  ]);
}

/** Whether a path has no `.`, `..`, doubled or trailing slashes. */
const isClean = (path: string): boolean =>
  path === '/' || !/(^|\/)(\.{1,2})?(\/|$)/.test(path.startsWith('/') ? path.slice(1) : path);
