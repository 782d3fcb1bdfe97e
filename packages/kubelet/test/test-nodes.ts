import type { Event, Pod } from '@coxswain/api/core/v1';
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
  type TransportResponse,
} from '@coxswain/client';
import { HollowNodes, type HollowNodesOptions } from '../src/fleet/hollow-nodes.ts';
import type { NodeSpec } from '../src/node/node-spec.ts';

/** Slightly longer than the API server delays the events of a busy watch. */
const longestPaceMs = 12;

/** Records the nodes' requests, and may make them fail. */
export class SpyingTransport implements Transport {
  readonly requests: string[] = [];
  /** Called before each request. If it throws, the request fails with that error. */
  plan: (request: string) => void | Promise<void> = () => {};
  readonly #inner: Transport;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const seen = `${request.method} ${request.url}`;
    this.requests.push(seen);
    await this.plan(seen);
    return await this.#inner.send(request);
  }

  openWebSocket: Transport['openWebSocket'] = (request) => this.#inner.openWebSocket(request);
  close: Transport['close'] = () => this.#inner.close();
}

type ContainerOptions = Pick<HollowNodesOptions, 'stopDelayMs'>;

/** An API server in this process with hollow nodes, on a fake clock that the test advances. */
export class TestNodes {
  readonly clock = new FakeClock();
  readonly clients: ClientSet;
  readonly rest: RESTClient;
  readonly spy: SpyingTransport;
  readonly #logs = recordLogs();
  /** The nodes' log. */
  readonly log = this.#logs.lines;
  readonly #server: RunningApiServer;
  #fleet: HollowNodes | undefined;
  #stop = new AbortController();
  #running: Promise<void> | undefined;
  #specs: readonly NodeSpec[];
  readonly #options: ContainerOptions;

  private constructor(
    server: RunningApiServer,
    specs: readonly NodeSpec[],
    clock: FakeClock,
    options: ContainerOptions,
  ) {
    this.#server = server;
    this.#specs = specs;
    this.#options = options;
    this.clock = clock;
    const transport = () =>
      new InProcessTransport(server.transport({ username: 'admin', groups: ['system:masters'] }), { fair: false });
    this.rest = new RESTClient(transport());
    this.clients = new ClientSet(this.rest);
    this.spy = new SpyingTransport(transport());
  }

  static async start(
    specs: readonly NodeSpec[] = [{ name: 'n1' }],
    options: ContainerOptions = {},
  ): Promise<TestNodes> {
    const clock = new FakeClock();
    let nodes: TestNodes | undefined;
    const server = await startApiServer(
      { memory: true, disableAdmissionPlugins: ['ServiceAccount', 'TaintNodesByCondition'] },
      { clock: datedBy(clock), localKubelets: (node) => nodes?.fleet.dialer(node) },
    );
    nodes = new TestNodes(server, specs, clock, options);
    await nodes.startNodes();
    return nodes;
  }

  get server(): RunningApiServer {
    return this.#server;
  }

  forgetLog(): void {
    this.#logs.clear();
  }

  get fleet(): HollowNodes {
    return this.#fleet!;
  }

  async startNodes(): Promise<void> {
    this.#stop = new AbortController();
    this.#fleet = new HollowNodes({
      rest: new RESTClient(this.spy),
      nodes: this.#specs,
      clock: this.clock,
      random: () => 0,
      logger: this.#logs.logger,
      ...this.#options,
    });
    this.#running = this.#fleet.run(this.#stop.signal);
    await this.settle();
  }

  /** Stops the nodes. Their runtimes lose all containers. */
  async stopNodes(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Resolves when the nodes send no more requests at the current time of the clock. */
  async settle(): Promise<void> {
    for (let before = -1; before !== this.spy.requests.length; ) {
      before = this.spy.requests.length;
      await new Promise((resolve) => setTimeout(resolve, longestPaceMs));
      // On a busy machine, this timer and the server's may fire in the same turn. The delayed events still have to be delivered.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Advances the clock in steps, and waits for the nodes before the first and after each step. */
  async advance(byMs: number, stepMs = byMs): Promise<void> {
    await this.settle();
    for (let left = byMs; left > 0; left -= stepMs) {
      await this.clock.advance(Math.min(stepMs, left));
      await this.settle();
    }
  }

  /** Creates a pod on the first node. Returns it after the nodes have handled it. */
  async createPod(pod: Pod): Promise<Pod> {
    const { name } = pod.metadata;
    const spec = { nodeName: this.#specs[0]!.name, ...pod.spec! };
    await this.clients.core.v1.pods('default').create({ ...pod, spec });
    await this.settle();
    return await this.pod(name!);
  }

  pod(name: string): Promise<Pod> {
    return this.clients.core.v1.pods('default').get(name);
  }

  /** Returns the events of an object, such as `Warning Failed: Error` or `Started: Container started` for those of type Normal. */
  async events(name: string): Promise<string[]> {
    const { items } = await this.clients.core.v1.events('').list();
    const time = ({ metadata }: Event): number => Number(metadata.resourceVersion);
    return items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .sort((a, b) => time(a) - time(b))
      .map(({ type, reason, message, count = 1 }) => {
        const times = count > 1 ? ` (x${count})` : '';
        return `${type === 'Normal' ? '' : `${type} `}${reason}: ${message}${times}`;
      });
  }

  async stop(): Promise<void> {
    await this.stopNodes();
    await this.rest.close();
    await this.spy.close();
    await this.#server.stop();
  }
}
