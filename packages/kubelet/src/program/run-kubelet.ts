import { setMaxListeners } from 'node:events';
import type { Verbosity } from '@coxswain/apimachinery/log';
import { type Random, systemRandom } from '@coxswain/apimachinery/random';
import { type Clock, CoreEventRecorder, type Logger, systemClock } from '@coxswain/client';
import { withDefaults } from '@coxswain/component-base';
import { kubernetesBuildInfo, MetricsRegistry } from '@coxswain/component-base/metrics';
import { type ContainerRuntime, connectRuntime } from '@coxswain/cri';
import { clientConnection } from '../certificates/client-connection.ts';
import { fieldNotices, type KubeletConfiguration } from '../configuration/index.ts';
import { Kubelet, type KubeletOptions } from '../kubelet.ts';
import { LinuxNode, type LinuxNodeOptions } from '../linux-node/linux-node.ts';
import type { Machine } from '../machine/machine.ts';
import { KubeletMetrics } from '../metrics/kubelet-metrics.ts';
import type { ServiceSource } from '../network/service-source.ts';
import { parseNodeIPs } from '../node/node-ips.ts';
import { nodeNameOf } from '../node/node-name.ts';
import { checkReservations, enforcedAllocatable } from '../node/node-resources.ts';
import { type KubeletCommandOptions, nodeFlags } from '../options/kubelet-flags.ts';
import { loadConfiguration } from '../options/load-configuration.ts';
import { type NodeConfiguration, nodeConfiguration } from '../options/node-configuration.ts';
import { ProbeMetrics } from '../probes/probe-metrics.ts';
import type { RuntimeSettings } from '../runtime/runtime-settings.ts';
import { CachedConfigSource } from '../volumes/config-source.ts';
import { ApiClients } from './api-clients.ts';
import { cgroupDriver } from './cgroup-driver.ts';
import { type KubeletHostMachine, thisMachine } from './host.ts';
import { capacityOf, nodeSpecOf } from './node-spec-of.ts';
import { serveKubelet } from './serve-kubelet.ts';

/** What a kubelet does on its machine. `LinuxNode` is one. */
export interface KubeletMachine {
  readonly machine: Machine;
  readonly settings?: Partial<RuntimeSettings>;
  readonly services?: ServiceSource;
  /** Tells which kubelet works on this machine, before `run`. */
  attach?(kubelet: Kubelet): void;
  /** Works until the signal is aborted. */
  run?(signal: AbortSignal): Promise<void>;
  close?(): Promise<void>;
}

/** The dependencies that are not given by flags. */
export interface KubeletEnvironment {
  readonly logger: Logger;
  /** The logger's verbosity, which the configuration and `/debug/flags/v` set. */
  readonly verbosity?: Verbosity;
  readonly clock?: Clock;
  readonly random?: Random;
  /** This machine by default. */
  readonly host?: KubeletHostMachine;
  /** Connects to the container runtime. */
  readonly connect?: (endpoint: string, imageEndpoint: string) => Promise<ContainerRuntime>;
  /** A Linux node by default. */
  readonly newMachine?: (options: LinuxNodeOptions) => Promise<KubeletMachine>;
  /** Called when the kubelet begins to work. */
  readonly onStarted?: () => void;
}

/**
 * Runs a kubelet until the signal is aborted; resolves when its work has ended. Containers go on running. Throws an Error when an option,
 * the machine or the container runtime cannot be used, and when the client certificate is lost.
 */
export async function runKubelet(
  options: KubeletCommandOptions,
  environment: KubeletEnvironment,
  signal: AbortSignal,
): Promise<void> {
  const { logger, verbosity, clock = systemClock, random = systemRandom, host = thisMachine } = environment;
  setMaxListeners(0, signal);
  const config = await loadConfiguration(options, { isCgroupV2: await host.isCgroupV2() });
  if (options.v === undefined) verbosity?.set(config.logging.verbosity ?? 0);
  for (const notice of [...fieldNotices(config), ...loggingNotices(options, config)]) logger.info(notice);
  const userId = host.userId();
  if (userId !== 0) {
    const problem = new Error(`kubelet needs to run as uid \`0\`. It is being run as ${userId}`);
    logger.error('Kubelet running with insufficient permissions', problem);
  }
  const flags = withDefaults(nodeFlags, options);
  if (flags.kubeconfig === '') throw new Error('there is no standalone mode; use --kubeconfig to name an API server');
  const { invalid } = parseNodeIPs(flags.nodeIp);
  if (invalid.length > 0) logger.info('Could not parse some node IP(s), ignoring them', { IPs: invalid.join() });
  const nodeName = nodeNameOf(flags.hostnameOverride, host.hostname());
  const configuration = nodeConfiguration(nodeName, flags, config);
  if (config.failSwapOn && (await host.isSwapOn())) {
    throw new Error('running with swap on is not supported, please disable swap or set --fail-swap-on flag to false');
  }
  const connection = await clientConnection(
    {
      kubeconfig: flags.kubeconfig,
      bootstrapKubeconfig: flags.bootstrapKubeconfig,
      certificateDirectory: flags.certDir,
      nodeName,
      rotate: config.rotateCertificates,
      clock,
      random: random.number,
      logger,
    },
    signal,
  );
  const registry = new MetricsRegistry(() => new Date(clock.now()));
  registry.register([kubernetesBuildInfo()]);
  const metrics = { registry, kubelet: new KubeletMetrics(registry) };
  metrics.kubelet.node(nodeName, (await host.isCgroupV2()) ? 2 : 1);
  const { updateEveryMs, leaseDurationSeconds } = configuration.status;
  const api = new ApiClients({
    config: connection.config,
    limits: configuration.client,
    heartbeatTimeoutMs: Math.min(updateEveryMs, leaseDurationSeconds * 1000),
    metrics: registry,
    clock,
    logger,
  });
  // With the rejection of a certificate that is lost, everything ends.
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  setMaxListeners(0, until);
  const certificate = connection.certificate?.run(until);
  certificate?.catch((error: unknown) => stop.abort(error));
  let runtime: ContainerRuntime | undefined;
  try {
    const { connect = connectRuntime } = environment;
    runtime = await connect(configuration.runtime.endpoint, configuration.runtime.imageEndpoint);
    const driver = await cgroupDriver(
      { configured: configuration.cgroups.driver, runtime: runtime.runtime, clock, logger },
      until,
    );
    const cgroups = { ...configuration.cgroups, driver };
    const program = { options, config, configuration: { ...configuration, cgroups }, api, runtime, metrics };
    await work(program, environment, until);
    await certificate;
  } catch (error) {
    if (!signal.aborted) throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    stop.abort();
    await certificate?.catch(() => {});
    runtime?.close();
    await api.close();
  }
}

/** The logger exists before the configuration is read. */
function loggingNotices(
  { loggingFormat, vmodule }: KubeletCommandOptions,
  { logging }: KubeletConfiguration,
): string[] {
  const fields = [
    ...(loggingFormat === undefined && logging.format !== 'text' ? [['format', 'logging-format']] : []),
    ...(vmodule === undefined && (logging.vmodule ?? []).length > 0 ? [['vmodule', 'vmodule']] : []),
  ];
  return fields.map(([field, flag]) => `logging.${field} of a file makes no difference: use --${flag}`);
}

interface Program {
  readonly options: KubeletCommandOptions;
  readonly config: KubeletConfiguration;
  readonly configuration: NodeConfiguration;
  readonly api: ApiClients;
  readonly runtime: ContainerRuntime;
  readonly metrics: { readonly registry: MetricsRegistry; readonly kubelet: KubeletMetrics };
}

type Manifests = NodeConfiguration['pods']['staticPods'];

function manifestsOf({ path, url, urlHeaders, checkEveryMs }: Manifests): Pick<KubeletOptions, 'manifests'> {
  if (path === '' && url === '') return {};
  const headers = Object.entries(urlHeaders).map(([name, values]): [string, string] => [name, values.join(', ')]);
  return {
    manifests: {
      ...(path !== '' && { path }),
      ...(url !== '' && { url, headers: Object.fromEntries(headers) }),
      intervalMs: checkEveryMs,
    },
  };
}

/** Makes the parts of the kubelet and runs them until the signal is aborted. */
async function work(program: Program, environment: KubeletEnvironment, signal: AbortSignal): Promise<void> {
  const { configuration, api, runtime } = program;
  const { logger, clock = systemClock, random = systemRandom, host = thisMachine } = environment;
  const { newMachine = (options: LinuxNodeOptions): Promise<KubeletMachine> => LinuxNode.start(options) } = environment;
  const { nodeName, resources } = configuration;
  const { clients } = api;
  const capacity = await capacityOf(configuration, host);
  checkReservations(capacity, resources.reservations);
  const { cpu, memory } = enforcedAllocatable(capacity, resources.reservations);
  const node = await nodeSpecOf({ configuration, host, logger });
  const recorder = new CoreEventRecorder({
    events: api.events.core.v1.events,
    source: { component: 'kubelet', host: nodeName },
    clock,
    random: random.number,
    logger,
  });
  const config = new CachedConfigSource(clients, clock);
  const { metrics } = program;
  let kubelet: Kubelet | undefined;
  const machine = await newMachine({
    configuration,
    runtime,
    clients,
    config,
    recorder,
    allocatable: { milliCpu: cpu?.milliValue() ?? 0, memoryBytes: memory?.value() ?? 0 },
    nodeIPs: () => kubelet?.hostIPs ?? [],
    metrics: metrics.kubelet,
    clock,
    random,
    logger,
  });
  try {
    kubelet = new Kubelet({
      node,
      clients,
      heartbeatClients: api.heartbeats,
      runtime,
      machine: machine.machine,
      ...(machine.settings && { settings: machine.settings }),
      ...(machine.services && { services: machine.services }),
      ...manifestsOf(configuration.pods.staticPods),
      metrics: metrics.kubelet,
      probeMetrics: new ProbeMetrics(),
      config,
      recorder,
      clock,
      random: random.number,
      logger,
    });
    machine.attach?.(kubelet);
    await host.setOOMScore(configuration.cgroups.oomScoreAdj).catch((error: unknown) => {
      logger.info('Failed to ApplyOOMScoreAdj', { err: String(error) });
    });
    await runParts(kubelet, machine, { ...program, environment }, signal);
  } finally {
    await machine.close?.();
    await recorder.stop();
  }
}

/** Serves and works until the signal is aborted. If one part fails, the others are ended before this rejects. */
async function runParts(
  kubelet: Kubelet,
  machine: KubeletMachine,
  program: Program & { readonly environment: KubeletEnvironment },
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  setMaxListeners(0, until);
  const server = await serveKubelet(kubelet, program, until);
  const parts = [server.running, machine.run?.(until), kubelet.run(until)].flatMap((part) => part ?? []);
  try {
    program.environment.onStarted?.();
    await Promise.all(
      parts.map(async (part) => {
        await part;
        if (!signal.aborted) throw new Error('a part of the kubelet has ended');
      }),
    );
  } finally {
    stop.abort();
    await server.close();
    await Promise.allSettled(parts);
  }
}
