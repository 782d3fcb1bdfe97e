import type { Node, Pod } from '@coxswain/api/core/v1';
import { systemRandom } from '@coxswain/apimachinery/random';
import { type EventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';
import {
  type ClientSet,
  type Clock,
  CoreEventRecorder,
  consoleLogger,
  type EventRecorder,
  type Logger,
  sleep,
  systemClock,
} from '@coxswain/client';
import type { ApiHandler } from '@coxswain/component-base/http';
import type { ContainerRuntime } from '@coxswain/cri';
import { ContainerKiller } from './containers/kill-pod.ts';
import { PodSyncer } from './containers/pod-syncer.ts';
import type { PodStates } from './garbage-collection/pod-states.ts';
import { ImagePuller } from './images/image-puller.ts';
import { PullCredentials } from './images/pull-credentials.ts';
import { NodeLease } from './lease/node-lease.ts';
import type { Machine } from './machine/machine.ts';
import { countedRuntime } from './metrics/counted-runtime.ts';
import { KubeletMetrics } from './metrics/kubelet-metrics.ts';
import type { ServiceSource } from './network/service-source.ts';
import { NodeReporter } from './node/node-reporter.ts';
import { InformerNodeSource, type NodeSource } from './node/node-source.ts';
import { type CompleteNodeSpec, completeNodeSpec, defaultNodeReporting, type NodeSpec } from './node/node-spec.ts';
import { OrphanRemoval } from './pod-workers/orphan-removal.ts';
import { PodWorkers } from './pod-workers/pod-workers.ts';
import { InformerPodSource } from './pods/informer-pod-source.ts';
import { PodEvents } from './pods/pod-events.ts';
import type { PodSource } from './pods/pod-source.ts';
import { ProbeManager } from './probes/probe-manager.ts';
import type { ProbeMetrics } from './probes/probe-metrics.ts';
import { KubeRuntime } from './runtime/kube-runtime.ts';
import { PodLifecycleEvents } from './runtime/pod-lifecycle-events.ts';
import { defaultRuntimeSettings, type RuntimeSettings } from './runtime/runtime-settings.ts';
import { kubeletHandler } from './server/kubelet-handler.ts';
import type { KubeletHost } from './server/kubelet-host.ts';
import { followManifestFiles, followManifestUrl } from './static-pods/manifest-source.ts';
import { MirroredPodSource } from './static-pods/mirrored-pod-source.ts';
import { StatsProvider } from './stats/stats-provider.ts';
import type { Eviction } from './status/pod-status.ts';
import { StatusManager } from './status/status-manager.ts';
import { CachedConfigSource, type ConfigSource } from './volumes/config-source.ts';

interface ManifestOptions {
  /** A file, or a directory of files. */
  readonly path?: string;
  readonly url?: string;
  /** Headers of requests to the URL. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly intervalMs?: number;
}

export interface KubeletOptions {
  readonly node: NodeSpec;
  readonly clients: ClientSet;
  /** For requests about the node and its lease, which must not wait for other requests. `clients` by default. */
  readonly heartbeatClients?: ClientSet;
  readonly runtime: ContainerRuntime;
  readonly machine: Machine;
  readonly settings?: Partial<RuntimeSettings>;
  /** How often all containers are listed while the runtime sends no events. Infinity if the runtime never loses an event. */
  readonly relistMs?: number;
  /** The Services whose addresses containers get as environment variables. If absent, containers have no such variables. */
  readonly services?: ServiceSource;
  /** Where the manifests of static pods are. If absent, the node has no static pods and treats mirror pods as ordinary pods. */
  readonly manifests?: ManifestOptions;
  readonly clock?: Clock;
  /** Returns a number in [0, 1). */
  readonly random?: () => number;
  readonly eventLoop?: EventLoop;
  readonly logger?: Logger;
  /** Sources that several nodes of a process may share. If absent, the kubelet has its own. */
  readonly pods?: PodSource;
  readonly nodes?: NodeSource;
  readonly config?: ConfigSource;
  /** Records events with this node's kubelet as their source. */
  readonly recorder?: EventRecorder;
  /** The metrics at `/metrics/probes`. If absent, they are not recorded. */
  readonly probeMetrics?: ProbeMetrics;
  /** The kubelet's own metrics. If absent, they are not recorded. */
  readonly metrics?: KubeletMetrics;
}

const reconnectMs = 1000;
/** How often creating or deleting a mirror pod is retried. */
const mirrorRetryMs = 10_000;

/** The agent of one node. It runs the pods that are bound to the node, and reports the status of the pods and of the node. */
export class Kubelet {
  readonly spec: CompleteNodeSpec;
  readonly runtime: KubeRuntime;
  readonly #options: Required<Pick<KubeletOptions, 'clients' | 'clock' | 'random' | 'logger'>> & KubeletOptions;
  readonly #statuses: StatusManager;
  readonly #probes: ProbeManager;
  readonly #workers: PodWorkers;
  readonly #reporter: NodeReporter;
  readonly #lease: NodeLease;
  readonly #lifecycle: PodLifecycleEvents;
  readonly #events: PodEvents;
  readonly #stats: StatsProvider;
  readonly #orphans: OrphanRemoval;
  readonly #mirrored: MirroredPodSource | undefined;
  /** The pod CIDRs that the runtime was configured with, joined by commas. Empty before that. */
  #podCidr = '';
  readonly #ownRecorder: CoreEventRecorder | undefined;
  readonly #ownPods: InformerPodSource | undefined;
  readonly #ownNodes: InformerNodeSource | undefined;

  constructor(options: KubeletOptions) {
    const { clients, clock = systemClock, random = systemRandom.number, logger = consoleLogger, machine } = options;
    const { eventLoop = systemEventLoop, services, heartbeatClients: heartbeats = clients } = options;
    const { metrics = new KubeletMetrics() } = options;
    const settings = { ...defaultRuntimeSettings, ...options.settings };
    const runtime = new KubeRuntime({
      cri: options.metrics ? countedRuntime(options.runtime, options.metrics, clock) : options.runtime,
      machine,
      settings,
      clock,
      onRemoving: (id) => machine.removingContainer(id),
    });
    this.#options = { ...options, clients, clock, random, logger };
    this.spec = completeNodeSpec(options.node);
    this.runtime = runtime;
    const { name } = this.spec;
    this.#stats = new StatsProvider({
      nodeName: name,
      runtime,
      clock,
      machine: machine.stats,
      pods: () => this.#workers.pods,
    });
    this.#ownPods = options.pods ? undefined : new InformerPodSource({ clients, nodeName: name, clock, logger });
    this.#ownNodes = options.nodes ? undefined : new InformerNodeSource({ clients, nodeName: name, clock, logger });
    this.#ownRecorder = options.recorder
      ? undefined
      : new CoreEventRecorder({
          events: clients.core.v1.events,
          source: { component: 'kubelet', host: name },
          clock,
          random,
          logger,
        });
    const recorder = options.recorder ?? this.#ownRecorder!;
    const nodes = options.nodes ?? this.#ownNodes!;
    const events = new PodEvents(recorder);
    this.#events = events;
    const config = options.config ?? new CachedConfigSource(clients, clock);
    const killer = new ContainerKiller({ runtime, hooks: machine.hooks, events, clock });
    this.#statuses = new StatusManager({
      clients,
      clock,
      eventLoop,
      logger,
      mayRun: (uid) => this.#workers.mayRun(uid),
      mirrorOf: (pod) => this.#mirrored?.mirrorOf(pod),
    });
    const hostIPs = (): readonly string[] => this.hostIPs;
    this.#probes = new ProbeManager({
      prober: machine.prober,
      clock,
      random,
      runtimeName: () => runtime.name,
      hostIPs,
      metrics: options.probeMetrics,
      onResult: (uid) => this.#workers.probed(uid),
      onUnhealthy: (pod, container, reason, message) => events.container(pod, container, 'Warning', reason, message),
    });
    const { keyring, pulled } = machine.images ?? {};
    const credentials = new PullCredentials({ config, node: keyring });
    const images = new ImagePuller({
      runtime,
      events,
      clock,
      credentials,
      pulled,
      metrics,
      limits: settings.imagePulls,
    });
    const probes = this.#probes;
    const common = { events, metrics, clock, logger };
    const syncer = { runtime, machine, settings, images, config, services, killer, probes, ...common };
    const node = (): Node | undefined => this.#reporter.node;
    this.#workers = new PodWorkers({
      runtime,
      machine,
      settings,
      syncer: new PodSyncer({ ...syncer, hostIPs, node }),
      killer,
      probes: this.#probes,
      statuses: this.#statuses,
      config,
      ...common,
      random,
      hostIPs,
      node,
      fetchNode: () => heartbeats.core.v1.nodes().get(name),
    });
    this.#reporter = new NodeReporter({
      spec: this.spec,
      clients: heartbeats,
      runtime,
      machine,
      recorder,
      clock,
      random,
      logger,
      current: () => nodes.get(name),
      lifecycleProblem: () => this.#lifecycle.problem,
    });
    this.#lifecycle = new PodLifecycleEvents({
      runtime,
      clock,
      logger,
      metrics,
      ...(options.relistMs !== undefined && { relistMs: options.relistMs }),
      onPod: (uid) => {
        if (this.#workers.get(uid)) this.#workers.kick(uid);
        // A runtime that loses no events completes no requests that were given up.
        else if (options.relistMs !== Number.POSITIVE_INFINITY) this.#orphans.suspect();
      },
    });
    this.#orphans = new OrphanRemoval({
      runtime,
      machine,
      hasWorker: (uid) => this.#workers.get(uid) !== undefined,
      nodeName: name,
      clock,
      logger,
    });
    const { manifests } = options;
    this.#mirrored =
      manifests &&
      new MirroredPodSource({
        clients,
        api: options.pods ?? this.#ownPods!,
        nodeName: name,
        logger,
        nodeUid: () => this.#reporter.node?.metadata.uid,
        onMirror: (pod, mirror) => this.#statuses.observeMirror(pod, mirror),
      });
    const nodeUid = (): string | undefined => this.#reporter.node?.metadata.uid;
    const { leaseDurationSeconds } = { ...defaultNodeReporting, ...this.spec.reporting };
    const lease = { nodeName: name, clients: heartbeats, clock, random, logger, nodeUid, leaseDurationSeconds };
    this.#lease = new NodeLease(lease);
  }

  get nodeName(): string {
    return this.spec.name;
  }

  /** All pods of the node, including those that have ended. Each has the status that was computed last, which may not be sent yet. */
  get pods(): readonly Pod[] {
    return this.#workers.pods.map((pod) => ({
      ...pod,
      status: this.#statuses.get(pod.metadata.uid ?? '') ?? pod.status,
    }));
  }

  /** The Node object in the API server. Undefined before it is registered. */
  get node(): Node | undefined {
    return this.#reporter.node;
  }

  /** Tells garbage collection which pods are over. */
  get podStates(): PodStates {
    const isKnown = (): boolean => this.#orphans.hasSucceeded;
    const stateOf = (uid: string) => this.#workers.get(uid)?.state;
    return {
      shouldPodContentBeRemoved: (uid) => isKnown() && stateOf(uid) === undefined,
      shouldPodRuntimeBeRemoved: (uid) => {
        const state = stateOf(uid);
        return state === undefined ? isKnown() : state === 'Terminated' || state === 'Finished';
      },
    };
  }

  /** Records an event of type Warning for a pod. */
  warn(pod: Pod, reason: string, message: string): void {
    this.#events.pod(pod, 'Warning', reason, message);
  }

  /** The pods that run or are about to run. */
  get activePods(): readonly Pod[] {
    return this.#workers.active;
  }

  /**
   * Terminates a pod, with a grace period of at most `graceSeconds`. It fails with the reason and message of the eviction. Returns false,
   * and has no effect, if the pod is unknown, terminating or has ended.
   */
  evict(podUid: string, eviction: Eviction, graceSeconds: number): boolean {
    return this.#workers.evict(podUid, eviction, graceSeconds);
  }

  /** Handles requests to the kubelet's own API: logs, pods, statistics. It does not authorize them: the server in front of it must. */
  get handler(): ApiHandler {
    return kubeletHandler(this.host);
  }

  /** The parts of this kubelet that its API shows. */
  get host(): KubeletHost {
    const { nodeName, runtime } = this;
    const { clock, logger, machine, metrics, probeMetrics } = this.#options;
    return {
      ...{ nodeName, runtime, logs: machine.logs, stats: this.#stats, probeMetrics, clock, logger },
      onWebSocket: (subresource) => metrics?.webSocketOpened(subresource),
      pods: () => this.pods,
    };
  }

  /** The IP addresses of the node. */
  get hostIPs(): readonly string[] {
    const { addresses } = this.#reporter.spec;
    return addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  }

  /**
   * Registers the node and runs its pods until the signal is aborted. Resolves when all work in progress has ended. The containers keep
   * running: the next kubelet of this node takes them over.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { nodes = this.#ownNodes!, logger } = this.#options;
    const pods = this.#mirrored ?? this.#options.pods ?? this.#ownPods!;
    const stop = new AbortController();
    const ended = AbortSignal.any([signal, stop.signal]);
    const background = [this.#ownPods?.run(ended), this.#ownNodes?.run(ended)];
    const unsubscribe: (() => void)[] = [];
    try {
      this.#reporter.starting();
      const isConnected = await this.#connect(ended);
      const registered = this.#reporter.register(ended);
      // The node is reported on even if its runtime does not answer. It is not ready then.
      background.push(this.#report(registered, ended));
      if (!isConnected) await this.#untilConnected(ended);
      background.push(this.#lifecycle.run(ended));
      // Static pods do not wait for the API server, which may be one of them.
      if (this.#mirrored) unsubscribe.push(this.#mirrored.subscribeStatic(this.#workers));
      background.push(...this.#followManifests(ended));
      await registered;
      unsubscribe.push(nodes.subscribe(this.nodeName, (node) => void this.#configureNetwork(node, ended)));
      unsubscribe.push(pods.subscribe(this.nodeName, this.#workers));
      if (this.#mirrored) background.push(this.#keepMirrors(this.#mirrored, ended));
      background.push(this.#orphans.run(pods, ended));
      await new Promise<void>((resolve) => {
        if (ended.aborted) resolve();
        else ended.addEventListener('abort', () => resolve(), { once: true });
      });
    } catch (error) {
      if (!signal.aborted) logger.error('Kubelet ended', error, { node: this.nodeName });
    } finally {
      stop.abort();
      for (const leave of unsubscribe) leave();
      const idle = this.#workers.stop();
      this.#probes.stop();
      await idle;
      await this.#statuses.stop();
      await this.#ownRecorder?.stop();
      await Promise.all(background);
    }
  }

  /**
   * Makes the node not ready and terminates its pods, with a grace period of at most `gracePeriodSeconds`. Resolves when the node's status
   * is written, which may be before the pods have ended. Their final statuses are sent only while `run` is still going.
   */
  async shutDown(gracePeriodSeconds: number, signal: AbortSignal): Promise<void> {
    const message = 'Pod was terminated in response to imminent node shutdown.';
    this.#workers.shutDown({ reason: 'Terminated', message, isDisruption: true }, gracePeriodSeconds);
    await this.#reporter.shutDown(signal);
  }

  /** Reports the node's status and renews its lease once it is registered. */
  async #report(registered: Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await registered;
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    await Promise.all([this.#reporter.run(signal), this.#lease.run(signal)]);
  }

  #followManifests(signal: AbortSignal): Promise<void>[] {
    const { manifests, clock, logger } = this.#options;
    const mirrored = this.#mirrored;
    if (!manifests || !mirrored) return [];
    const common = { nodeName: this.nodeName, clock, logger };
    const { path, url, headers = {}, intervalMs } = manifests;
    const every = intervalMs === undefined ? {} : { intervalMs };
    const found = new Map<string, readonly Pod[]>();
    const replace = (source: string) => (pods: readonly Pod[]) => {
      found.set(source, pods);
      mirrored.setStaticPods([...found.values()].flat());
    };
    return [
      ...(path === undefined ? [] : [followManifestFiles({ ...common, ...every, path }, signal, replace('path'))]),
      ...(url === undefined ? [] : [followManifestUrl({ ...common, ...every, url, headers }, signal, replace('url'))]),
    ];
  }

  async #keepMirrors(mirrored: MirroredPodSource, signal: AbortSignal): Promise<void> {
    try {
      await mirrored.whenSynced(signal);
      mirrored.start();
      for (;;) {
        await sleep(this.#options.clock, mirrorRetryMs, signal);
        mirrored.reconcile();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #connect(signal: AbortSignal): Promise<boolean> {
    try {
      await this.runtime.connect(signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      this.#options.logger.error('The container runtime does not answer', error, { node: this.nodeName });
      return false;
    }
  }

  async #untilConnected(signal: AbortSignal): Promise<void> {
    do await sleep(this.#options.clock, reconnectMs, signal);
    while (!(await this.#connect(signal)));
  }

  /** Sends the node's pod CIDRs to the runtime whenever they change. */
  async #configureNetwork({ spec }: Node, signal: AbortSignal): Promise<void> {
    const podCidr = (spec?.podCIDRs ?? []).join();
    if (podCidr === '' || podCidr === this.#podCidr) return;
    this.#podCidr = podCidr;
    try {
      await this.runtime.service.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr } } }, { signal });
      // Some runtimes have no network before.
      if (this.runtime.forgetNetworkProblem()) this.#reporter.hurry();
    } catch (error) {
      if (signal.aborted) return;
      this.#podCidr = '';
      this.#options.logger.error('Failed to send the pod CIDRs to the container runtime', error, { podCidr });
    }
  }
}
