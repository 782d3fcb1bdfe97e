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
  /** Further options of the API server. */
  readonly server?: Parameters<typeof startApiServer>[0];
}

/**
 * A real API server in this process and controllers on it, all by one clock that the test turns. What the test does itself
 * goes through `clients`; what the controllers ask, through `spy`.
 */
export class TestCluster {
  readonly clock: FakeClock;
  /** As an administrator. */
  readonly rest: RESTClient;
  readonly clients: ClientSet;
  readonly spy: SpyingTransport;
  readonly #logs = recordLogs();
  /** What the controllers logged: errors that they retry, mostly. */
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
      // Pods run as nobody, as long as no controller makes accounts.
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
      // Jitter that is the same each time.
      random: () => 0.5,
      logger: this.#logs.logger,
      freezeCaches: true,
    });
    this.#running = this.#manager.run(this.#stop.signal);
  }

  /** The controllers end, as when their process does; `startControllers` starts new ones. */
  async stopControllers(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /**
   * Resolves when the controllers have done all that there is to do at this moment of the clock: no queue has anything in
   * it, and nothing comes into one for a while in which the API server brings all that is on its way.
   */
  async settle(): Promise<void> {
    let quiet = 0;
    let before = this.spy.requests.length;
    while (quiet < 50) {
      // Five times 3 ms are more than the server lets events of a busy watch wait: 10 ms.
      await new Promise<void>((resolve) => (quiet % 10 === 9 ? setTimeout(resolve, 3) : setImmediate(resolve)));
      const isQuiet = this.#manager!.activity.isIdle && this.spy.requests.length === before;
      quiet = isQuiet ? quiet + 1 : 0;
      before = this.spy.requests.length;
    }
  }

  /** Turns the clock, in steps, and lets the controllers do what comes due after each. */
  async advance(byMs: number, stepMs = byMs): Promise<void> {
    // What the test did last is heard of first.
    await this.settle();
    for (let left = byMs; left > 0; left -= stepMs) {
      await this.clock.advance(Math.min(stepMs, left));
      await this.settle();
    }
  }

  /** Resolves with the value as soon as there is one; asks again after every change that the controllers make. */
  async until<T>(read: () => Promise<T | undefined | false>): Promise<T> {
    for (;;) {
      const value = await read();
      if (value) return value;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** The events of a namespace, as `Normal SuccessfulCreate ReplicaSet/web: Created pod: web-x2x8z`, in order. */
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
