import type { Event } from '@coxswain/api/core/v1';
import { datedBy } from '@coxswain/apimachinery/clock';
import { recordLogs } from '@coxswain/apimachinery/log';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { ClientSet, FakeClock, InProcessTransport, RESTClient } from '@coxswain/client';
import type { ControllerDefinition } from '../src/framework/controller/controller.ts';
import { ControllerManager } from '../src/framework/manager/controller-manager.ts';
import { SpyingTransport } from './spying-transport.ts';

export interface TestClusterOptions {
  readonly controllers: readonly ControllerDefinition[];
  readonly clock?: FakeClock;
  /** Additional options of the API server. */
  readonly server?: Parameters<typeof startApiServer>[0];
}

/**
 * An API server in this process with controllers, all with one fake clock. The test uses `clients`; the controllers' requests go
 * through `spy`.
 */
export class TestCluster {
  readonly clock: FakeClock;
  /** Acts as an administrator. */
  readonly rest: RESTClient;
  readonly clients: ClientSet;
  readonly spy: SpyingTransport;
  readonly #logs = recordLogs();
  /** The controllers' log lines, mostly errors of retried reconciles. */
  readonly log = this.#logs.lines;
  readonly #server: RunningApiServer;
  readonly #controllers: readonly ControllerDefinition[];
  #manager: ControllerManager | undefined;
  #stop = new AbortController();
  #running: Promise<void> | undefined;

  private constructor(server: RunningApiServer, { controllers, clock }: TestClusterOptions & { clock: FakeClock }) {
    this.#server = server;
    this.#controllers = controllers;
    this.clock = clock;
    const transport = () =>
      new InProcessTransport(server.transport({ username: 'admin', groups: ['system:masters'] }), { fair: false });
    this.rest = new RESTClient(transport());
    this.clients = new ClientSet(this.rest);
    this.spy = new SpyingTransport(transport());
  }

  static async start(options: TestClusterOptions): Promise<TestCluster> {
    const clock = options.clock ?? new FakeClock();
    const server = await startApiServer(
      // Without the admission plug-in, pods need no ServiceAccount, which no controller creates here.
      { memory: true, disableAdmissionPlugins: ['ServiceAccount'], ...options.server },
      { clock: datedBy(clock) },
    );
    const cluster = new TestCluster(server, { ...options, clock });
    cluster.startControllers();
    return cluster;
  }

  startControllers(): void {
    this.#stop = new AbortController();
    this.#manager = new ControllerManager({
      rest: new RESTClient(this.spy),
      controllers: this.#controllers,
      clock: this.clock,
      // Constant, so that jitter is deterministic.
      random: () => 0.5,
      logger: this.#logs.logger,
      freezeCaches: true,
    });
    this.#running = this.#manager.run(this.#stop.signal);
  }

  /** Stops the controllers as if their process ended. `startControllers` starts new ones. */
  async stopControllers(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /**
   * Resolves when the controllers have nothing left to do at the current time: all queues are idle, and stay so for a while in
   * which the API server delivers pending events.
   */
  async settle(): Promise<void> {
    let quiet = 0;
    let before = this.spy.requests.length;
    while (quiet < 50) {
      // Five times 3 ms exceed the 10 ms for which the server delays events of a busy watch.
      await new Promise<void>((resolve) => (quiet % 10 === 9 ? setTimeout(resolve, 3) : setImmediate(resolve)));
      const isQuiet = this.#manager!.activity.isIdle && this.spy.requests.length === before;
      quiet = isQuiet ? quiet + 1 : 0;
      before = this.spy.requests.length;
    }
  }

  /** Advances the clock in steps, and lets the controllers work after each. */
  async advance(byMs: number, stepMs = byMs): Promise<void> {
    // Let the controllers observe the previous actions of the test first.
    await this.settle();
    for (let left = byMs; left > 0; left -= stepMs) {
      await this.clock.advance(Math.min(stepMs, left));
      await this.settle();
    }
  }

  /** Resolves with the first truthy value. `read` is called again and again. */
  async until<T>(read: () => Promise<T | undefined | false>): Promise<T> {
    for (;;) {
      const value = await read();
      if (value) return value;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** Returns the events of a namespace in order, formatted as `Normal SuccessfulCreate ReplicaSet/web: Created pod: web-x2x8z`. */
  async events(namespace = 'default'): Promise<string[]> {
    const { items } = await this.clients.core.v1.events(namespace).list();
    const time = ({ lastTimestamp, metadata }: Event): string =>
      `${lastTimestamp} ${metadata.resourceVersion!.padStart(12)}`;
    return items
      .sort((a, b) => (time(a) < time(b) ? -1 : 1))
      .map(
        ({ type, reason, involvedObject: { kind, name }, message }) => `${type} ${reason} ${kind}/${name}: ${message}`,
      );
  }

  async stop(): Promise<void> {
    await this.stopControllers();
    await this.rest.close();
    await this.spy.close();
    await this.#server.stop();
  }
}
