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
  /** All that it consists of, the API server first; `defaultComponents()` by default. */
  readonly components?: readonly [ApiServerComponent, ...Component[]];
  /** Which of them are started with the API server, by name; all by default. `startComponent` starts the others. */
  readonly started?: readonly string[];
  /** Its nodes, or how many hollow ones; 2 by default. */
  readonly nodes?: NodeProvider | number;
  /** The time of all of it. */
  readonly clock?: Clock;
  /** The same time, as one component sees it; for clocks that must know whose timers they have. */
  readonly clockOf?: (component: string) => Clock;
  /** Names, uids, jitter, choices among equals. Keys and tokens are not made of it. */
  readonly random?: Random;
  /** Where others get their turn while long work is done in slices. */
  readonly eventLoop?: EventLoop;
  readonly logger?: Logger;
  /**
   * Stands between callers and the API server; for tests that let requests fail. A caller is a component by its name, or `users`, for
   * whoever uses the cluster.
   */
  readonly intercept?: (transport: Transport, caller: string) => Transport;
  /** Fail on every change to a cached object; for tests. */
  readonly freezeCaches?: boolean;
}

/** The parts that a `Cluster` is made with. */
interface ClusterParts {
  readonly runner: ComponentRunner;
  readonly server: ClusterServer;
  readonly nodes: NodeProvider;
  readonly clock: Clock;
  clientAs(identity: Identity): RESTClient;
}

/**
 * A cluster in this process: an API server and other components, controllers, scheduler and nodes on which nothing runs unless it is told
 * otherwise. The components meet through the API alone, without sockets, each with no more rights than it would have in a process of its own.
 */
export class Cluster {
  /** As an administrator. */
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
   * Starts the components. The API server is ready when it resolves; `whenReady` waits for the rest. Throws what stands in the way of
   * the server, and for components that cannot be in one list; nothing is left running then. See `Component` for other failures.
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
      // Deprecation warnings are off: these clients are the cluster's own components.
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
      // The API server's failure is its caller's to tell.
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

  /** `https://127.0.0.1:6443`; undefined where it does not listen. */
  get url(): string | undefined {
    return this.#parts.server.access?.url;
  }

  /** The text of a kubeconfig with all rights; undefined where it does not listen. */
  get kubeconfig(): string | undefined {
    return this.#parts.server.access?.kubeconfig;
  }

  /** Lets those in who are outside of this process: on a free port of this machine, unless it listens already. */
  listen(): Promise<Access> {
    return this.#parts.server.listen();
  }

  /** A client of the API server as somebody else. */
  restAs(identity: Identity): RESTClient {
    return this.#parts.clientAs(identity);
  }

  /** Whether all components have started and have done all that there is to do at this moment of the clock, as far as they have heard of it. */
  get isIdle(): boolean {
    return this.#parts.runner.isIdle;
  }

  isRunning(component: string): boolean {
    return this.#parts.runner.isRunning(component);
  }

  /** How each component is, in the order of the list. */
  status(): Promise<ComponentStatus[]> {
    return this.#parts.runner.status();
  }

  /** Harmless when it runs already. Throws when there is no such component. */
  startComponent(component: string): void {
    if (!this.#stopped) this.#parts.runner.start(component);
  }

  /** As when its process ends: what it knew is forgotten, what it was doing is given up. The API server runs as long as the cluster. */
  async stopComponent(component: string): Promise<void> {
    const { runner } = this.#parts;
    if (component === runner.names[0]) throw new Error('the API server stops with its cluster: see stop');
    await runner.stop(component);
  }

  /**
   * Resolves when all components that were started are ready: a pod that is created now would run, where these are the default ones.
   * Rejects when one of them fails before, and when the signal is aborted.
   */
  async whenReady(signal?: AbortSignal): Promise<void> {
    await this.#parts.runner.whenReady(this.clients, { clock: this.clock, ...(signal && { signal }) });
  }

  /** Whether what is stored is that of a cluster which is ready, whichever components run: nobody has to be waited for. */
  isReadyAsStored(): Promise<boolean> {
    return isReadyAsStored(this.clients, this.nodes.specs);
  }

  /** Ends everything, each component before those that it was started after; resolves when nothing is under way any more. */
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
