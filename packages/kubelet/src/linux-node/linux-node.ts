import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Pod } from '@coxswain/api/core/v1';
import type { Random } from '@coxswain/apimachinery/random';
import type { ClientSet, Clock, EventRecorder, Logger } from '@coxswain/client';
import type { ContainerRuntime } from '@coxswain/cri';
import { findCgroups, HelperCommands, machineFacts, newCgroupName, Systemd } from '@coxswain/linux';
import { appArmorProblem } from '../admission/app-armor.ts';
import { NodeCgroups } from '../cgroups/node-cgroups.ts';
import { noPodCgroups } from '../cgroups/pod-cgroups.ts';
import { StorageEviction } from '../eviction/storage-eviction.ts';
import { ContainerGarbageCollector } from '../garbage-collection/container-garbage-collector.ts';
import { hasImageFileSystem } from '../garbage-collection/image-fs-stats.ts';
import { ImageGarbageCollector } from '../garbage-collection/image-garbage-collector.ts';
import { ContainerHooks } from '../hooks/container-hooks.ts';
import type { CredentialVerification } from '../images/credential-verification.ts';
import { NodeKeyring } from '../images/node-keyring.ts';
import { PullRecords } from '../images/pull-records.ts';
import { PulledImages } from '../images/pulled-images.ts';
import type { Kubelet } from '../kubelet.ts';
import { ContainerLogManager } from '../logs/container-log-manager.ts';
import { LogFiles } from '../logs/log-files.ts';
import type { KubeletMetrics } from '../metrics/kubelet-metrics.ts';
import { InformerServiceSource } from '../network/service-source.ts';
import type { NodeConfiguration } from '../options/node-configuration.ts';
import { ContainerProber } from '../probes/container-prober.ts';
import { pageSizeText } from '../runtime/page-size.ts';
import { defaultRuntimeSettings, type RuntimeSettings } from '../runtime/runtime-settings.ts';
import type { ConfigSource } from '../volumes/config-source.ts';
import { linuxVolumeHost } from '../volumes/files/linux-volume-host.ts';
import { ClientVolumeApi } from '../volumes/sources/volume-api.ts';
import { VolumeManager } from '../volumes/volume-manager.ts';
import { LinuxMachine } from './linux-machine.ts';

export interface LinuxNodeOptions {
  readonly configuration: Pick<
    NodeConfiguration,
    'nodeName' | 'directories' | 'dns' | 'cgroups' | 'security' | 'images' | 'containers'
  >;
  readonly runtime: ContainerRuntime;
  readonly clients: ClientSet;
  readonly config: ConfigSource;
  readonly recorder: EventRecorder;
  /** The resources that all pods together may use: the limits of the cgroup `kubepods`. */
  readonly allocatable: { readonly milliCpu: number; readonly memoryBytes: number };
  nodeIPs(): readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The kubelet's own metrics. If absent, evictions are not counted. */
  readonly metrics?: KubeletMetrics;
  /** The directory of symbolic links to the logs of containers. `/var/log/containers` by default. */
  readonly containerLogsDirectory?: string;
}

/**
 * A node on a Linux machine, made from the kubelet's configuration: the `Machine` for its kubelet, and background work, which is refreshing
 * volumes, rotating logs, evicting pods that exceed their limits of local storage, and garbage collection.
 */
export class LinuxNode {
  readonly machine: LinuxMachine;
  readonly settings: RuntimeSettings;
  readonly volumes: VolumeManager;
  /** The Services for the kubelet of this node. They are watched while `run` works. */
  readonly services: InformerServiceSource;
  readonly #images: { readonly keyring: NodeKeyring; readonly pulled: PulledImages };
  readonly #options: LinuxNodeOptions;
  readonly #commands: HelperCommands;
  readonly #logManager: ContainerLogManager;
  readonly #systemd: Systemd | undefined;
  readonly #cgroups: NodeCgroups | undefined;
  #kubelet: Kubelet | undefined;

  private constructor(options: LinuxNodeOptions, parts: LinuxNodeParts) {
    const { configuration, runtime, clients, config, clock, random, logger, nodeIPs } = options;
    const { directories, dns } = configuration;
    this.#options = options;
    this.#commands = parts.commands;
    this.#systemd = parts.systemd;
    this.settings = parts.settings;
    this.#cgroups = parts.cgroups?.(() => this.#kubelet?.activePods ?? []);
    const service = runtime.runtime;
    this.services = new InformerServiceSource({ clients, clock, logger });
    this.#images = {
      keyring: new NodeKeyring({ rootDirectory: directories.root, homeDirectory: homedir(), clock, logger }),
      pulled: new PulledImages({
        records: new PullRecords(directories.root),
        verification: configuration.images.verification ?? preloadedImagesAreForAll,
        images: runtime.images,
        clock,
        logger,
      }),
    };
    const { logs } = configuration.containers;
    this.#logManager = new ContainerLogManager({
      service,
      clock,
      logger,
      maxSizeBytes: logs.maxSizeBytes,
      maxFiles: logs.maxFiles,
      maxWorkers: logs.maxWorkers,
      monitorIntervalMs: logs.checkEveryMs,
    });
    this.volumes = new VolumeManager({
      rootDirectory: directories.root,
      host: linuxVolumeHost(parts.commands),
      config,
      api: new ClientVolumeApi(clients),
      clock,
      random,
      logger,
      node: () => this.#kubelet?.node,
      canRefuseSwap: parts.canRefuseSwap,
      supportsRecursiveReadOnly: (pod) => this.#supportsRecursiveReadOnly(pod),
      onProblem: (pod, message) => this.#kubelet?.warn(pod, 'FailedMount', message),
    });
    this.machine = new LinuxMachine({
      configuration: {
        rootDirectory: directories.root,
        podLogsDirectory: directories.podLogs,
        clusterDNS: dns.servers,
        clusterDomain: dns.domain,
        resolvConf: dns.resolvConf,
        hostsFile: '/etc/hosts',
        containerLogsDirectory: this.#containerLogsDirectory,
        nodeIPs,
      },
      volumes: this.volumes,
      cgroups: this.#cgroups ?? noPodCgroups,
      prober: new ContainerProber({ service, clock }),
      hooks: new ContainerHooks({ service, clock }),
      images: this.#images,
      logs: new LogFiles({ service, root: directories.podLogs, clock, logger }),
      logManager: this.#logManager,
      service,
      random,
      info: parts.info,
    });
  }

  /** Creates the node's cgroups. Rejects if cgroups cannot be created or `--cgroup-root` does not exist. */
  static async start(options: LinuxNodeOptions): Promise<LinuxNode> {
    const { configuration, allocatable, clock, logger } = options;
    const { cgroups, security, directories, images, containers } = configuration;
    const systemd = cgroups.driver === 'systemd' ? new Systemd({ clock }) : undefined;
    const manager = await findCgroups({ driver: cgroups.driver, clock, ...(systemd && { systemd }) });
    const facts = await machineFacts();
    const settings: RuntimeSettings = {
      cpuCFSQuota: cgroups.cpuCFSQuota,
      cpuCFSQuotaPeriodMicroseconds: cgroups.cpuCFSQuotaPeriodMicroseconds,
      seccompDefault: security.seccompDefault,
      seccompProfileRoot: directories.seccompProfiles,
      singleProcessOOMKill: cgroups.singleProcessOOMKill ?? manager.version === 1,
      isCgroupV2: manager.version === 2,
      memoryCapacityBytes: facts.memoryBytes,
      hugePageSizes: facts.hugePages.map(({ sizeBytes }) => pageSizeText(sizeBytes)),
      allowedUnsafeSysctls: security.allowedUnsafeSysctls,
      appArmorProblem: await appArmorProblem(),
      maxRestartPeriodMs: containers.maxRestartPeriodMs ?? defaultRuntimeSettings.maxRestartPeriodMs,
      imagePulls: { maxParallel: images.maxParallelPulls, qps: images.pullQps, burst: images.pullBurst },
    };
    const nodeCgroups = (activePods: () => readonly Pod[]) =>
      new NodeCgroups({
        cgroups: manager,
        root: newCgroupName([], ...cgroups.root.split('/').filter((part) => part !== '')),
        settings,
        podPidsLimit: cgroups.podPidsLimit,
        allocatable: cgroups.enforcePods ? allocatable : undefined,
        activePods,
        clock,
        logger,
      });
    const node = new LinuxNode(options, {
      commands: new HelperCommands({ clock }),
      systemd,
      canRefuseSwap: isAtLeast(facts.kernelVersion, [6, 4]),
      settings,
      cgroups: cgroups.perQOS ? nodeCgroups : undefined,
      info: async () => ({
        machineId: facts.machineId,
        systemUuid: facts.systemUuid,
        bootId: facts.bootId,
        kernelVersion: facts.kernelVersion,
        osImage: facts.osImage,
        swapBytes: facts.swapBytes,
      }),
    });
    await node.#makeDirectories();
    await node.#cgroups?.start();
    return node;
  }

  get #containerLogsDirectory(): string {
    return this.#options.containerLogsDirectory ?? '/var/log/containers';
  }

  /** Sets the kubelet of this node. Must be called before `run`. */
  attach(kubelet: Kubelet): void {
    this.#kubelet = kubelet;
  }

  /** Refreshes volumes, rotates logs, checks limits of local storage, and removes unused containers and images, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { configuration, runtime, recorder, clock, logger } = this.#options;
    const kubelet = this.#kubelet;
    if (!kubelet) throw new Error('no kubelet is attached');
    const { nodeName, containers, images, directories } = configuration;
    const logs = this.#logManager;
    const common = { nodeName, clock, logger, recorder };
    const deadContainers = new ContainerGarbageCollector({
      ...common,
      runtime: kubelet.runtime,
      logs,
      pods: kubelet.podStates,
      podLogsDirectory: directories.podLogs,
      containerLogsDirectory: this.#containerLogsDirectory,
      policy: {
        minAgeMs: containers.gc.minimumAgeMs,
        maxPerPodContainer: containers.gc.maxPerContainer,
        maxContainers: containers.gc.maxContainers,
      },
    });
    const { gc } = images;
    const imagePolicy = {
      highThresholdPercent: gc.highThresholdPercent,
      lowThresholdPercent: gc.lowThresholdPercent,
      minAgeMs: gc.minimumAgeMs,
      maxAgeMs: Number.isFinite(gc.maximumAgeMs) ? gc.maximumAgeMs : 0,
    };
    const { pulled } = this.#images;
    const onImages = (ids: ReadonlySet<string>, sinceMs: number): Promise<void> => pulled.prune(ids, sinceMs);
    const unusedImages = new ImageGarbageCollector({
      ...common,
      runtime: kubelet.runtime,
      policy: imagePolicy,
      onImages,
    });
    const overLimits = new StorageEviction({
      kubelet,
      stats: async (until) => (await kubelet.host.stats.summary('all', until)).pods,
      hasImageFileSystem: () => hasImageFileSystem(runtime.images, directories.root),
      metrics: this.#options.metrics,
      ...common,
    });
    await Promise.all([
      containers.limitsStorage ? overLimits.run(signal) : undefined,
      this.services.run(signal),
      this.volumes.run(signal),
      this.#cgroups?.run(signal),
      logs.run(signal),
      deadContainers.run(signal),
      unusedImages.run(signal),
    ]);
  }

  async #supportsRecursiveReadOnly({ spec }: Pod): Promise<boolean> {
    const handlers = (await this.#kubelet?.runtime.health())?.runtimeHandlers ?? [];
    const name = spec?.runtimeClassName && (await this.#options.config.runtimeClass(spec.runtimeClassName))?.handler;
    return handlers.find((handler) => handler.name === (name ?? ''))?.features?.recursiveReadOnlyMounts ?? false;
  }

  /** Ends the helper processes and closes the connection to systemd. Containers keep running. */
  async close(): Promise<void> {
    this.#commands.close();
    await this.#systemd?.close();
  }

  /** Creates the directories that exist even without pods. */
  async #makeDirectories(): Promise<void> {
    const { root, podLogs } = this.#options.configuration.directories;
    for (const path of [root, this.machine.directories.pods, podLogs])
      await mkdir(path, { recursive: true, mode: 0o750 });
    await mkdir(this.#containerLogsDirectory, { recursive: true, mode: 0o755 });
  }
}

const preloadedImagesAreForAll: CredentialVerification = { policy: 'NeverVerifyPreloadedImages', allowlist: [] };

interface LinuxNodeParts {
  readonly commands: HelperCommands;
  readonly systemd: Systemd | undefined;
  /** True if the kernel supports tmpfs's `noswap` option. */
  readonly canRefuseSwap: boolean;
  readonly settings: RuntimeSettings;
  readonly cgroups: ((activePods: () => readonly Pod[]) => NodeCgroups) | undefined;
  readonly info: LinuxMachine['info'];
}

function isAtLeast(kernelVersion: string, [major, minor]: readonly [number, number]): boolean {
  const [, a = 0, b = 0] = /^(\d+)\.(\d+)/.exec(kernelVersion)?.map(Number) ?? [];
  return a > major || (a === major && b >= minor);
}
