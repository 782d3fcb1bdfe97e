import { setMaxListeners } from 'node:events';
import { type ApiServerOptions, type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import {
  ClientSet,
  type Clock,
  InProcessTransport,
  type Logger,
  noWarnings,
  RESTClient,
  silentLogger,
  systemClock,
  type Transport,
} from '@coxswain/client';
import type { ControllerManager } from '@coxswain/controllers';
import type { HollowNodes, NodeSpec } from '@coxswain/kubelet';
import type { Scheduler, SchedulerOptions } from '@coxswain/scheduler';
import type { Store } from '@coxswain/storage';
import { newControllers } from './controllers.ts';
import { administrator, type Identity } from './identities.ts';
import { defaultNodes, newHollowNodes } from './nodes.ts';
import { untilReady } from './ready.ts';
import { newScheduler } from './scheduler.ts';

/** A part that can be started and stopped on its own. */
export type Component = 'controllers' | 'scheduler' | 'nodes';

export interface ClusterOptions {
  /** Where its state is kept, so that a later cluster goes on from there; absent: nowhere. */
  readonly dataDir?: string;
  /** Where its objects are kept, instead. The cluster closes it. */
  readonly store?: Store;
  /** Where it listens, for those outside of this process; 0: a free port; absent: nowhere. */
  readonly port?: number;
  /** By default this machine alone can reach the port. */
  readonly bindAddress?: string;
  /** Hollow nodes: how many, or what they are; 2 by default. */
  readonly nodes?: number | readonly NodeSpec[];
  /** Which controllers run, as `--controllers` has it; by default those that run by default. */
  readonly controllers?: readonly string[];
  /** Profiles, and plug-ins of one's own. */
  readonly scheduler?: Pick<SchedulerOptions, 'config' | 'plugins'>;
  /** Further flags of kube-apiserver. */
  readonly apiServer?: ApiServerOptions;
  /** The time of all of it. */
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly logger?: Logger;
  /** Stands between the components (not their users) and the API server; for tests that let requests fail. */
  readonly intercept?: (transport: Transport, component: Component) => Transport;
  /** Fail on every change to a cached object; for tests. */
  readonly freezeCaches?: boolean;
}

/** What the parts of a cluster are made with. */
export interface ClusterContext extends Required<Pick<ClusterOptions, 'clock' | 'random' | 'logger'>> {
  readonly options: ClusterOptions;
  readonly server: RunningApiServer;
  /** The way to the API server as somebody. */
  clientOf(component: Component, identity: Identity): RESTClient;
}

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/**
 * A cluster in this process: an API server, controllers, a scheduler and nodes on which nothing runs. The parts meet through the
 * API alone, without sockets, each with no more rights than it would have in a process of its own.
 */
export class Cluster {
  /** As an administrator. */
  readonly rest: RESTClient;
  readonly clients: ClientSet;
  readonly clock: Clock;
  readonly #context: ClusterContext;
  readonly #running = new Map<Component, Running>();
  #controllers: ControllerManager | undefined;
  #scheduler: Scheduler | undefined;
  #nodes: HollowNodes | undefined;
  #stopped: Promise<void> | undefined;

  private constructor(context: ClusterContext) {
    this.#context = context;
    this.clock = context.clock;
    this.rest = this.restAs(administrator);
    this.clients = new ClientSet(this.rest);
  }

  /**
   * Starts all parts. The API server is ready when it resolves; `whenReady` waits for the rest. Throws what stands in the way of
   * the server; nothing is left running then.
   */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const { clock = systemClock, random = Math.random, logger = silentLogger } = options;
    const { dataDir, store, port, bindAddress = '127.0.0.1', apiServer } = options;
    const server = await startApiServer(
      {
        ...(dataDir === undefined ? { memory: true } : { dataDir }),
        ...(port !== undefined && { securePort: port, bindAddress }),
        ...apiServer,
      },
      { logger, now: () => new Date(clock.now()), listen: port !== undefined, ...(store && { store }) },
    );
    const clientOf = (component: Component, identity: Identity): RESTClient => {
      const transport = inProcess(server, identity);
      return newClient(options.intercept?.(transport, component) ?? transport, clock, logger);
    };
    const cluster = new Cluster({ options, server, clock, random, logger, clientOf });
    for (const component of ['controllers', 'scheduler', 'nodes'] as const) cluster.startComponent(component);
    return cluster;
  }

  /** `https://127.0.0.1:6443`; undefined where it does not listen. */
  get url(): string | undefined {
    return this.#context.server.url;
  }

  /** The text of a kubeconfig with all rights; undefined where it does not listen. */
  get kubeconfig(): string | undefined {
    return this.#context.server.kubeconfig;
  }

  /** A client of the API server as somebody else. */
  restAs(identity: Identity): RESTClient {
    const { server, clock, logger } = this.#context;
    return newClient(inProcess(server, identity), clock, logger);
  }

  /** Whether the parts have done all that there is to do at this moment of the clock, as far as they have heard of it. */
  get isIdle(): boolean {
    const busy = [this.#controllers?.activity, this.#scheduler, this.#nodes].filter((part) => part !== undefined);
    return busy.every(({ isIdle }) => isIdle);
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

  /** Resolves when a pod that is created now would run: there are accounts, and all nodes are ready. */
  async whenReady(signal?: AbortSignal): Promise<void> {
    const { nodes = defaultNodes } = this.#context.options;
    const count = typeof nodes === 'number' ? nodes : nodes.length;
    await untilReady(this.clients, count, { clock: this.clock, ...(signal && { signal }) });
  }

  /** Ends everything, in good order; resolves when nothing is under way any more. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((component) => this.stopComponent(component)));
    await this.rest.close();
    await this.#context.server.stop();
  }

  async #run(component: Component, signal: AbortSignal): Promise<void> {
    if (component === 'controllers') {
      this.#controllers = await newControllers(this.#context);
      await this.#controllers.run(signal).finally(() => {
        this.#controllers = undefined;
      });
    } else if (component === 'scheduler') {
      this.#scheduler = newScheduler(this.#context);
      await this.#scheduler.run(signal).finally(() => {
        this.#scheduler = undefined;
      });
    } else {
      this.#nodes = newHollowNodes(this.#context);
      await this.#nodes.run(signal).finally(() => {
        this.#nodes = undefined;
      });
    }
  }
}

const inProcess = ({ transport }: RunningApiServer, { username, groups }: Identity): Transport =>
  new InProcessTransport(transport({ username, groups: [...groups] }));

// What is old about an API is no news to those who look after all of it.
const newClient = (transport: Transport, clock: Clock, logger: Logger): RESTClient =>
  new RESTClient(transport, { clock, logger, warnings: noWarnings });
