import { type Random, systemRandom } from '@coxswain/apimachinery/random';
import { type EventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';
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
} from '@coxswain/client';
import type { ApiServerComponent, Component, ComponentContext, ComponentStatus } from './component.ts';
import { ComponentRunner } from './component-runner.ts';
import type { Access, ClusterServer } from './components/cluster-server.ts';
import { defaultComponents } from './components/default-components.ts';
import { administrator, type Identity } from './identities.ts';
import { HollowNodeProvider } from './nodes/hollow-node-provider.ts';
import type { NodeProvider } from './nodes/node-provider.ts';
import { isReadyAsStored } from './ready.ts';

export interface ClusterOptions {
  /** The components, the API server first; `defaultComponents()` by default. */
  readonly components?: readonly [ApiServerComponent, ...Component[]];
  /** The names of the components that `Cluster.start` starts; all by default. `startComponent` starts the others. */
  readonly started?: readonly string[];
  /** The nodes, or the number of hollow nodes; 2 by default. */
  readonly nodes?: NodeProvider | number;
  /** The clock of the whole cluster. */
  readonly clock?: Clock;
  /** Returns a component's view of the same clock, for clocks that must know which component set a timer. */
  readonly clockOf?: (component: string) => Clock;
  /** For names, uids, jitter, and choices among equals. Keys and tokens do not use it. */
  readonly random?: Random;
  /** The event loop that long work yields to between slices. */
  readonly eventLoop?: EventLoop;
  readonly logger?: Logger;
  /**
   * Wraps the transport between a caller and the API server, for tests that make requests fail. A caller is a component's name, or `users`
   * for clients of the cluster.
   */
  readonly intercept?: (transport: Transport, caller: string) => Transport;
  /** Freezes cached objects, so that every attempt to change one throws; for tests. */
  readonly freezeCaches?: boolean;
}

/** The parts of a `Cluster`. */
interface ClusterParts {
  readonly runner: ComponentRunner;
  readonly server: ClusterServer;
  readonly nodes: NodeProvider;
  readonly clock: Clock;
  clientAs(identity: Identity): RESTClient;
}

/**
 * A cluster in this process: an API server, controllers, scheduler, other components, and nodes, which are hollow unless another provider
 * is given. The components communicate only through the API, without sockets, and each has no more rights than it would have in its own
 * process.
 */
export class Cluster {
  /** A client with all rights (`system:masters`). */
  readonly rest: RESTClient;
  readonly clients: ClientSet;
  readonly clock: Clock;
  readonly nodes: NodeProvider;
  readonly #parts: ClusterParts;
  #stopped: Promise<void> | undefined;

  private constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.nodes = parts.nodes;
    this.clock = parts.clock;
    this.rest = this.restAs(administrator);
    this.clients = new ClientSet(this.rest);
  }

  /**
   * Starts the components. The API server is ready when this resolves; `whenReady` waits for the others. Throws when the API server cannot
   * be started, and for an invalid list of components; nothing is left running then. See `Component` for other failures.
   */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const { components = defaultComponents(), freezeCaches = false } = options;
    const nodes = typeof options.nodes === 'object' ? options.nodes : new HollowNodeProvider(options.nodes);
    const { clock = systemClock, clockOf = () => clock, logger = silentLogger } = options;
    const { random = systemRandom, eventLoop = systemEventLoop } = options;
    const [apiServer, ...others] = components;
    let server: ClusterServer | undefined;
    const startedServer = (): ClusterServer => {
      if (!server) throw new Error('the API server has not started');
      return server;
    };
    const clientAs = (caller: string, { username, groups }: Identity, userAgent?: string): RESTClient => {
      const inProcess = new InProcessTransport(startedServer().transport({ username, groups: [...groups] }), {
        eventLoop,
      });
      const transport = newTransport({ server: 'https://in-process', ...(userAgent && { userAgent }) }, inProcess);
      // Deprecation warnings are off: these clients belong to the cluster's own components.
      return new RESTClient(options.intercept?.(transport, caller) ?? transport, {
        clock,
        logger,
        warnings: noWarnings,
      });
    };
    const contextOf = ({ name, userAgent = name }: Component, signal: AbortSignal): ComponentContext => ({
      signal,
      clock: clockOf(name),
      random,
      eventLoop,
      logger: logger.named(userAgent),
      freezeCaches,
      nodes,
      get authority() {
        return startedServer().authority;
      },
      clientAs: (identity) => clientAs(name, identity, userAgent),
      isRunning: (other) => runner.isRunning(other),
    });
    const serving: Component = {
      ...apiServer,
      async start(context) {
        const running = await apiServer.start(context);
        server = running.server;
        return running;
      },
    };
    const runner = new ComponentRunner({
      components: [serving, ...others],
      contextOf,
      // A failure of the API server is thrown to the caller instead.
      onFailed: (name, error) =>
        name !== apiServer.name && logger.error('Component failed', error, { component: name }),
    });
    const started = runner.inOrder(options.started ?? runner.names);
    runner.start(apiServer.name);
    await runner.whenStarted(apiServer.name);
    for (const name of started) runner.start(name);
    return new Cluster({
      runner,
      server: startedServer(),
      nodes,
      clock,
      clientAs: (identity) => clientAs('users', identity),
    });
  }

  /** The URL, such as `https://127.0.0.1:6443`; undefined when the API server does not listen. */
  get url(): string | undefined {
    return this.#parts.server.access?.url;
  }

  /** The text of a kubeconfig with all rights; undefined when the API server does not listen. */
  get kubeconfig(): string | undefined {
    return this.#parts.server.access?.kubeconfig;
  }

  /** Makes the API server listen on a free local port, unless it listens already. */
  listen(): Promise<Access> {
    return this.#parts.server.listen();
  }

  /** Returns a client with another identity. */
  restAs(identity: Identity): RESTClient {
    return this.#parts.clientAs(identity);
  }

  /** True when all components have started and have no work left at this time of the clock, as far as they know of changes. */
  get isIdle(): boolean {
    return this.#parts.runner.isIdle;
  }

  isRunning(component: string): boolean {
    return this.#parts.runner.isRunning(component);
  }

  /** Returns the status of each component, in the order of the list. */
  status(): Promise<ComponentStatus[]> {
    return this.#parts.runner.status();
  }

  /** Starts a component. Does nothing when it runs already. Throws when there is no such component. */
  startComponent(component: string): void {
    if (!this.#stopped) this.#parts.runner.start(component);
  }

  /**
   * Stops a component, like the end of its process: its state in memory is lost, its work is cancelled. Rejects for the API server, which
   * runs as long as the cluster.
   */
  async stopComponent(component: string): Promise<void> {
    const { runner } = this.#parts;
    if (component === runner.names[0]) throw new Error('the API server stops with its cluster: use stop');
    await runner.stop(component);
  }

  /**
   * Resolves when all components that were started are ready: with the default ones, a pod that is created now would run. Rejects when one
   * of them fails before, and when the signal is aborted.
   */
  async whenReady(signal?: AbortSignal): Promise<void> {
    await this.#parts.runner.whenReady(this.clients, { clock: this.clock, ...(signal && { signal }) });
  }

  /**
   * Returns whether the stored objects are those of a ready cluster, whether or not its components run. Then nothing has to be waited for.
   */
  isReadyAsStored(): Promise<boolean> {
    return isReadyAsStored(this.clients, this.nodes.specs);
  }

  /** Stops all components, each before the ones it was started after. Resolves when no work is in progress any more. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { runner } = this.#parts;
    const [apiServer = ''] = runner.names;
    await runner.stopAfter(apiServer);
    await this.rest.close();
    await runner.stop(apiServer);
  }
}
