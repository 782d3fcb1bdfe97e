import type { Node, Pod } from '@coxswain/api/core/v1';
import type { Event } from '@coxswain/api/events/v1';
import { datedBy } from '@coxswain/apimachinery/clock';
import { recordLogs } from '@coxswain/apimachinery/log';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import {
  ClientSet,
  FakeClock,
  InProcessTransport,
  RESTClient,
  type Transport,
  type TransportRequest,
} from '@coxswain/client';
import { Scheduler, type SchedulerOptions } from '../src/scheduler.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
}

/** An in-process API server with a scheduler. Both use a fake clock, which the test advances. */
export class TestCluster {
  readonly clock: FakeClock;
  /** Clients of an administrator. */
  readonly clients: ClientSet;
  readonly #logs = recordLogs();
  readonly log = this.#logs.lines;
  /** The requests of the scheduler. */
  readonly requests: SeenRequest[] = [];
  /** Called for each request of the scheduler, which waits for it. Throws to make the request fail. */
  plan: (request: SeenRequest) => void | Promise<void> = () => {};
  /** The number of requests that wait for the plan. */
  #held = 0;
  readonly #server: RunningApiServer;
  readonly #options: Partial<SchedulerOptions>;
  readonly #rests: RESTClient[] = [];
  #scheduler: Scheduler | undefined;
  #stop = new AbortController();
  #running: Promise<void> | undefined;

  private constructor(server: RunningApiServer, clock: FakeClock, options: Partial<SchedulerOptions>) {
    this.#server = server;
    this.clock = clock;
    this.#options = options;
    this.clients = new ClientSet(this.#rest({ username: 'admin', groups: ['system:masters'] }));
  }

  static async start(options: Partial<SchedulerOptions> = {}): Promise<TestCluster> {
    const clock = new FakeClock();
    const server = await startApiServer(
      // There are no controllers that create service accounts or remove the taints of new nodes.
      { memory: true, disableAdmissionPlugins: ['ServiceAccount', 'TaintNodesByCondition'] },
      { clock: datedBy(clock) },
    );
    const cluster = new TestCluster(server, clock, options);
    cluster.startScheduler();
    return cluster;
  }

  startScheduler(): void {
    this.#stop = new AbortController();
    this.#scheduler = new Scheduler({
      // With only the permissions of upstream's scheduler.
      rest: this.#rest({ username: 'system:kube-scheduler', groups: ['system:authenticated'] }, (inner) =>
        this.#spy(inner),
      ),
      clock: this.clock,
      random: () => 0.5,
      logger: this.#logs.logger,
      host: 'here',
      freezeCaches: true,
      ...this.#options,
    });
    this.#running = this.#scheduler.run(this.#stop.signal);
  }

  async stopScheduler(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** All requests except reads, leases and events. */
  get writes(): SeenRequest[] {
    return this.requests.filter(({ method, url }) => method !== 'GET' && !/\/events(\/|\?|$)/.test(url));
  }

  /**
   * Resolves when the scheduler has done all work that is possible at the current time of the clock, and no request is in progress except
   * those that the plan holds back.
   */
  async settle(): Promise<void> {
    let quiet = 0;
    let before = this.requests.length;
    while (quiet < 50) {
      // Five times 3 ms are longer than the server's watch may delay events when busy: 10 ms.
      await new Promise<void>((resolve) => (quiet % 10 === 9 ? setTimeout(resolve, 3) : setImmediate(resolve)));
      const isIdle = this.#stop.signal.aborted || this.#held > 0 || this.#scheduler?.isIdle;
      const isQuiet = isIdle && this.requests.length === before;
      quiet = isQuiet ? quiet + 1 : 0;
      before = this.requests.length;
    }
  }

  async advance(byMs: number, stepMs = byMs): Promise<void> {
    // The effects of the test's last action must be observed first.
    await this.settle();
    for (let left = byMs; left > 0; left -= stepMs) {
      await this.clock.advance(Math.min(stepMs, left));
      await this.settle();
    }
  }

  /** Polls `read` and resolves with its first truthy value. */
  async until<T>(read: () => Promise<T | undefined | false>): Promise<T> {
    for (;;) {
      const value = await read();
      if (value) return value;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** Creates a ready node, by default with 4 CPUs, 8Gi and 110 pods. */
  async createNode(name: string, { labels = {}, spec = {}, allocatable = {} }: NewNode = {}): Promise<Node> {
    const resources = { cpu: '4', memory: '8Gi', pods: '110', ...allocatable };
    const node = await this.clients.core.v1.nodes().create({
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
      spec,
      status: {
        capacity: resources,
        allocatable: resources,
        conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'it is' }],
      },
    });
    await this.settle();
    return node;
  }

  /** Creates a pod with one container that has these requests. */
  async createPod(name: string, { requests = {}, labels = {}, ...spec }: NewPod = {}): Promise<Pod> {
    const containers = [{ name: 'main', image: 'registry.example/main:1', resources: { requests } }];
    const { clients } = this;
    return clients.core.v1.pods('default').create({ metadata: { name, labels }, spec: { containers, ...spec } });
  }

  pod(name: string): Promise<Pod> {
    return this.clients.core.v1.pods('default').get(name);
  }

  /** The node names of the pods by pod name; undefined for pods without a node. */
  async placements(): Promise<Record<string, string | undefined>> {
    const { items } = await this.clients.core.v1.pods('default').list();
    return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec?.nodeName]));
  }

  /** Events as `Normal Scheduled Pod/web: Successfully assigned default/web to a`, in order. */
  async events(): Promise<string[]> {
    const { items } = await this.clients.events.v1.events('default').list();
    const time = ({ metadata, eventTime }: Event): string => `${eventTime} ${metadata.resourceVersion!.padStart(12)}`;
    return items
      .sort((a, b) => (time(a) < time(b) ? -1 : 1))
      .map(({ type, reason, regarding, note }) => `${type} ${reason} ${regarding?.kind}/${regarding?.name}: ${note}`);
  }

  async stop(): Promise<void> {
    await this.stopScheduler();
    for (const rest of this.#rests) await rest.close();
    await this.#server.stop();
  }

  #rest(
    user: { username: string; groups: string[] },
    wrap = (transport: Transport): Transport => transport,
  ): RESTClient {
    const rest = new RESTClient(wrap(new InProcessTransport(this.#server.transport(user), { fair: false })));
    this.#rests.push(rest);
    return rest;
  }

  #spy(inner: Transport): Transport {
    return {
      send: async (request: TransportRequest) => {
        const seen = { method: request.method, url: request.url };
        this.requests.push(seen);
        this.#held++;
        try {
          await this.plan(seen);
        } finally {
          this.#held--;
        }
        return inner.send(request);
      },
      openWebSocket: (request) => inner.openWebSocket(request),
      close: () => inner.close(),
    };
  }
}

interface NewNode {
  readonly labels?: Record<string, string>;
  readonly spec?: Node['spec'];
  readonly allocatable?: Record<string, string>;
}

interface NewPod extends Omit<NonNullable<Pod['spec']>, 'containers'> {
  readonly requests?: Record<string, string>;
  readonly labels?: Record<string, string>;
}
