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

/** The server lets events of a busy watch wait for so long, and a little more. */
const longestPaceMs = 12;

/** What the nodes ask the API server, before it is asked. */
export class SpyingTransport implements Transport {
  readonly requests: string[] = [];
  /** Throws what the request is to fail with. */
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

/** A real API server in this process and hollow nodes on it, by a clock that the test turns. */
export class TestNodes {
  readonly clock = new FakeClock();
  readonly clients: ClientSet;
  readonly rest: RESTClient;
  readonly spy: SpyingTransport;
  readonly #logs = recordLogs();
  /** What the nodes logged. */
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

  /** The process of the nodes ends; their runtimes lose everything. */
  async stopNodes(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Resolves when nothing more happens at this moment of the clock. */
  async settle(): Promise<void> {
    for (let before = -1; before !== this.spy.requests.length; ) {
      before = this.spy.requests.length;
      await new Promise((resolve) => setTimeout(resolve, longestPaceMs));
      // On a busy machine that timer and the server's may fire together: what was held back has still to be heard.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Turns the clock, in steps, and lets the nodes do what comes due after each. What the test did last is heard of first. */
  async advance(byMs: number, stepMs = byMs): Promise<void> {
    await this.settle();
    for (let left = byMs; left > 0; left -= stepMs) {
      await this.clock.advance(Math.min(stepMs, left));
      await this.settle();
    }
  }

  /** A pod on the first node, as the server has it once the nodes have done what there is to do. */
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

  /** The events of an object, as `Normal Started web: Container started`, without the first word of ordinary ones. */
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
