import { setMaxListeners } from 'node:events';
import type { ApiServerOptions, ServerAuthority } from '@coxswain/apiserver';
import {
  ClientSet,
  type Clock,
  InProcessTransport,
  type Logger,
  newTransport,
  noWarnings,
  RESTClient,
  silentLogger,
  systemClock,
  type Transport,
  untilAborted,
} from '@coxswain/client';
import type { ControllerManager } from '@coxswain/controllers';
import type { NodeSpec } from '@coxswain/kubelet';
import type { Scheduler, SchedulerOptions } from '@coxswain/scheduler';
import type { Store } from '@coxswain/storage';
import { nobodyAt } from './addresses.ts';
import { newControllers } from './controllers.ts';
import { ensureDefaultStorageClass } from './default-storage-class.ts';
import { administrator, type Identity } from './identities.ts';
import { ClusterNodes, nodeSpecs } from './nodes.ts';
import { isReady, untilReady } from './ready.ts';
import { newScheduler } from './scheduler.ts';
import { type Access, type ClusterServer, startServer } from './server.ts';
import { ToCome } from './to-come.ts';

/** A part that can be started and stopped on its own. */
export type Component = 'controllers' | 'scheduler' | 'nodes';

/** Who sends a request to the API server: a component, or whoever uses the cluster. */
export type Caller = Component | 'users';

export interface ClusterOptions {
  /** Where its state is kept, so that a later cluster goes on from there; absent: nowhere. */
  readonly dataDir?: string;
  /** Where its objects are kept, instead; opened, or how to, when the cluster has its keys. The cluster closes it. */
  readonly store?: Store | ((authority: ServerAuthority) => Promise<Store>);
  /** Where it listens, for those outside of this process; 0: a free port; absent: nowhere until `listen`. */
  readonly port?: number;
  /** By default this machine alone can reach the port. */
  readonly bindAddress?: string;
  /** Hollow nodes: how many, or what they are; 2 by default. */
  readonly nodes?: number | readonly NodeSpec[];
  /** Each node on its own, so that one can die; costs watches for each. */
  readonly separateNodes?: boolean;
  /** How long containers of hollow nodes go on after they were asked to stop; by default they stop at once. */
  readonly stopDelayMs?: number;
  /** Which parts run from the start; all by default. */
  readonly components?: readonly Component[];
  /**
   * What nobody needs for a cluster to be ready is started right after `whenReady` has resolved, or after two seconds: the scheduler and most
   * controllers; all of it where what is stored is that of a cluster which is ready. Costs the same, and is ready earlier.
   */
  readonly readyFirst?: boolean;
  /** Which controllers run, as `--controllers` has it; by default those that run by default. */
  readonly controllers?: readonly string[];
  /** Profiles, and plug-ins of one's own. */
  readonly scheduler?: Pick<SchedulerOptions, 'config' | 'plugins'>;
  /** Further flags of kube-apiserver. */
  readonly apiServer?: ApiServerOptions;
  /** The time of all of it. */
  readonly clock?: Clock;
  /** The same time, as one component sees it; for clocks that must know whose timers they have. */
  readonly clockOf?: (component: Component) => Clock;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly logger?: Logger;
  /** Stands between callers and the API server; for tests that let requests fail. */
  readonly intercept?: (transport: Transport, caller: Caller) => Transport;
  /** Fail on every change to a cached object; for tests. */
  readonly freezeCaches?: boolean;
}

/** What the parts of a cluster are made with. */
export interface ClusterContext extends Required<Pick<ClusterOptions, 'clock' | 'clockOf' | 'random' | 'logger'>> {
  readonly options: ClusterOptions;
  readonly server: ClusterServer;
  /** The way to the API server as somebody. */
  clientOf(caller: Caller, identity: Identity): RESTClient;
}

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** What they say who they are; fields that they set are theirs by that name. */
const userAgents: Readonly<Record<Component, string>> = {
  controllers: 'kube-controller-manager',
  scheduler: 'kube-scheduler',
  nodes: 'kubelet',
};

/** By the machine's clock: what keeps a cluster from getting ready may need the rest of it. */
const restPatienceMs = 2000;

const allComponents: readonly Component[] = ['controllers', 'scheduler', 'nodes'];

/**
 * A cluster in this process: an API server, controllers, a scheduler and nodes on which nothing runs. The parts meet through the
 * API alone, without sockets, each with no more rights than it would have in a process of its own.
 */
export class Cluster {
  /** As an administrator. */
  readonly rest: RESTClient;
  readonly clients: ClientSet;
  readonly clock: Clock;
  readonly nodes: Pick<ClusterNodes, 'names' | 'isAlive' | 'kill' | 'revive'>;
  readonly #context: ClusterContext;
  readonly #nodes: ClusterNodes;
  readonly #running = new Map<Component, Running>();
  #controllers: ControllerManager | undefined;
  #scheduler: Scheduler | undefined;
  #hasStorageClass: Promise<void> = Promise.resolve();
  /** What nobody needs to become ready, until it is started. */
  #toCome: ToCome | undefined;
  /** Nothing has to be started for it. */
  #isReadyAsStored = false;
  #stopped: Promise<void> | undefined;

  private constructor(context: ClusterContext, nodes: ClusterNodes) {
    this.#context = context;
    this.#nodes = nodes;
    this.nodes = nodes;
    this.clock = context.clock;
    this.rest = this.restAs(administrator);
    this.clients = new ClientSet(this.rest);
  }

  /**
   * Starts all parts. The API server is ready when it resolves; `whenReady` waits for the rest. Throws what stands in the way of
   * the server; nothing is left running then.
   */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const { clock = systemClock, clockOf = () => clock, random = Math.random, logger = silentLogger } = options;
    const { dataDir, store, port, bindAddress = '127.0.0.1', apiServer, components = allComponents } = options;
    // The kubelets are there when somebody asks for logs; the server has to be there before them.
    let nodes: ClusterNodes | undefined;
    let cluster: Cluster | undefined;
    const server = await startServer(
      {
        ...(dataDir === undefined ? { memory: true } : { dataDir }),
        ...(port !== undefined && { securePort: port, bindAddress }),
        // As in clusters of kubeadm and kind: network and storage add-ons could not be installed otherwise.
        allowPrivileged: true,
        ...apiServer,
      },
      {
        logger,
        now: () => new Date(clock.now()),
        listen: port !== undefined,
        localKubelets: (node) => nodes?.dialer(node),
        nobodyAt: nobodyAt(options),
        isLocal: (name) => cluster?.isRunning(name === 'scheduler' ? 'scheduler' : 'controllers') === true,
        ...(store && { store }),
      },
    );
    const clientOf = (caller: Caller, { username, groups }: Identity): RESTClient => {
      const inProcess = new InProcessTransport(server.transport({ username, groups: [...groups] }));
      const userAgent = caller === 'users' ? {} : { userAgent: userAgents[caller] };
      const transport = newTransport({ server: 'https://in-process', ...userAgent }, inProcess);
      // What is old about an API is no news to those who look after all of it.
      const warnings = noWarnings;
      return new RESTClient(options.intercept?.(transport, caller) ?? transport, { clock, logger, warnings });
    };
    const context = { options, server, clock, clockOf, random, logger, clientOf };
    nodes = new ClusterNodes(context);
    cluster = new Cluster(context, nodes);
    await cluster.#begin(components);
    return cluster;
  }

  /** `https://127.0.0.1:6443`; undefined where it does not listen. */
  get url(): string | undefined {
    return this.#context.server.access?.url;
  }

  /** The text of a kubeconfig with all rights; undefined where it does not listen. */
  get kubeconfig(): string | undefined {
    return this.#context.server.access?.kubeconfig;
  }

  /** Lets those in who are outside of this process: on a free port of this machine, unless it listens already. */
  listen(): Promise<Access> {
    return this.#context.server.listen();
  }

  /** A client of the API server as somebody else. */
  restAs(identity: Identity): RESTClient {
    return this.#context.clientOf('users', identity);
  }

  /** Whether controllers and scheduler have done all that there is to do at this moment of the clock, as far as they have heard of it. */
  get isIdle(): boolean {
    const parts = [this.#controllers?.activity, this.#scheduler].filter((part) => part !== undefined);
    return this.#toCome === undefined && parts.every(({ isIdle }) => isIdle);
  }

  isRunning(component: Component): boolean {
    return this.#running.has(component);
  }

  /** Harmless when it runs already. */
  startComponent(component: Component): void {
    if (this.#running.has(component) || this.#stopped) return;
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const ended = this.#run(component, stop.signal).catch((error: unknown) =>
      this.#context.logger.error(`the ${component} have ended`, error),
    );
    this.#running.set(component, { stop, ended });
  }

  /** As when its process ends: what it knew is forgotten, what it was doing is given up. */
  async stopComponent(component: Component): Promise<void> {
    const running = this.#running.get(component);
    if (!running) return;
    running.stop.abort();
    await running.ended;
    this.#running.delete(component);
  }

  /** Resolves when a pod that is created now would run: there are accounts and a class of storage, and all nodes are ready. */
  async whenReady(signal?: AbortSignal): Promise<void> {
    await this.#hasStorageClass;
    await untilReady(this.clients, this.#nodeSpecs, { clock: this.clock, ...(signal && { signal }) });
    this.#toCome?.next();
  }

  /** Ends everything, in good order; resolves when nothing is under way any more. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  get #nodeSpecs(): readonly NodeSpec[] {
    return nodeSpecs(this.#context.options.nodes);
  }

  async #begin(components: readonly Component[]): Promise<void> {
    const { readyFirst = false } = this.#context.options;
    // The controllers make the volumes of its claims.
    if (components.includes('controllers')) this.#hasStorageClass = ensureDefaultStorageClass(this.clients);
    // Whoever waits for the cluster hears of it.
    this.#hasStorageClass.catch(() => {});
    if (readyFirst && components.includes('controllers') && components.includes('nodes')) {
      this.#isReadyAsStored = await isReady(this.clients, this.#nodeSpecs);
      this.#toCome = new ToCome(restPatienceMs);
      // Only when those that wait for it have begun, and tell themselves whether they have something to do.
      const hasCome = (): void => {
        this.#toCome = undefined;
      };
      void this.#toCome.time.then(() => setImmediate(hasCome));
    }
    for (const component of components) this.startComponent(component);
  }

  async #stop(): Promise<void> {
    this.#toCome?.cancel();
    await Promise.all([...this.#running.keys()].map((component) => this.stopComponent(component)));
    await this.rest.close();
    await this.#context.server.stop();
  }

  async #run(component: Component, signal: AbortSignal): Promise<void> {
    const whenOthersMay = this.#toCome?.time;
    if (whenOthersMay && (component === 'scheduler' || this.#isReadyAsStored)) {
      await untilAborted(whenOthersMay, signal).catch(() => {});
      if (signal.aborted) return;
    }
    if (component === 'controllers') {
      this.#controllers = newControllers(this.#context, this.#isReadyAsStored ? undefined : whenOthersMay);
      await this.#controllers.run(signal).finally(() => {
        this.#controllers = undefined;
      });
    } else if (component === 'scheduler') {
      this.#scheduler = newScheduler(this.#context);
      await this.#scheduler.run(signal).finally(() => {
        this.#scheduler = undefined;
      });
    } else await this.#nodes.run(signal);
  }
}
