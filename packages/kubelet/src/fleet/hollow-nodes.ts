import type { Event } from '@coxswain/api/core/v1';
import { systemRandom } from '@coxswain/apimachinery/random';
import { type EventLoop, systemEventLoop } from '@coxswain/apimachinery/turns';
import {
  ClientSet,
  type Clock,
  CoreEventRecorder,
  consoleLogger,
  type EventClients,
  type Logger,
  type RateLimiter,
  type RESTClient,
  systemClock,
  TokenBucketRateLimiter,
} from '@coxswain/client';
import { HollowMachine } from '../hollow/hollow-machine.ts';
import { HollowRuntime } from '../hollow/hollow-runtime.ts';
import { Kubelet } from '../kubelet.ts';
import { InformerNodeSource } from '../node/node-source.ts';
import type { NodeSpec } from '../node/node-spec.ts';
import { InformerPodSource } from '../pods/informer-pod-source.ts';
import { inProcessDialer, type KubeletDialer } from '../server/in-process-dialer.ts';
import { CachedConfigSource } from '../volumes/config-source.ts';
import { HollowNode } from './hollow-node.ts';

export interface HollowNodesOptions {
  /** The client for the caches that the nodes share, and for their events. */
  readonly rest: RESTClient;
  /** Returns a node's own client. All nodes use `rest` if absent. */
  readonly restOf?: (nodeName: string) => RESTClient;
  /** The number of nodes, which are named `hollow-0` and so on, or a specification of each. */
  readonly nodes: number | readonly NodeSpec[];
  /** Defaults for the specifications. */
  readonly defaults?: Omit<NodeSpec, 'name'>;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Makes boot ids. Random by default. */
  readonly uuid?: () => string;
  readonly eventLoop?: EventLoop;
  readonly logger?: Logger;
  /** Containers of Jobs succeed after this time, unless they are scripted. */
  readonly jobRunForMs?: number;
  /**
   * How long containers keep running after they were asked to stop, unless they are scripted. By default they stop at once; then a pod may be
   * gone before a client that has just deleted it can look at it.
   */
  readonly stopDelayMs?: number;
}

/** A fleet of hollow nodes in one process, with one watch for all their pods. */
export class HollowNodes {
  readonly #byName: ReadonlyMap<string, HollowNode>;
  readonly #pods: InformerPodSource;
  readonly #nodes: InformerNodeSource;
  readonly #recorder: CoreEventRecorder;

  constructor(options: HollowNodesOptions) {
    const { rest, clock = systemClock, random = systemRandom.number, logger = consoleLogger } = options;
    const { uuid = systemRandom.uuid, eventLoop = systemEventLoop } = options;
    const { jobRunForMs, stopDelayMs } = options;
    const clients = new ClientSet(rest);
    const config = new CachedConfigSource(clients, clock);
    this.#pods = new InformerPodSource({ clients, clock, logger });
    this.#nodes = new InformerNodeSource({ clients, clock, logger });
    this.#recorder = new CoreEventRecorder({
      events: paced(clients.core.v1.events, new TokenBucketRateLimiter({ qps: 100, burst: 1000, clock })),
      source: { component: 'kubelet' },
      clock,
      random,
      logger,
      queueSize: 100_000,
    });
    const specs = typeof options.nodes === 'number' ? numbered(options.nodes) : options.nodes;
    const boot = (spec: NodeSpec, index: number) => {
      const bootId = uuid();
      const runtime = new HollowRuntime({
        clock,
        bootId,
        // Used until a controller sets the node's podCIDRs.
        podCIDRs: [`10.${64 + ((index >> 8) & 63)}.${index & 255}.0/24`],
        ...(jobRunForMs !== undefined && { jobRunForMs }),
        ...(stopDelayMs !== undefined && { stopDelayMs }),
      });
      const own = options.restOf ? new ClientSet(options.restOf(spec.name)) : clients;
      const ownConfig = own === clients ? config : new CachedConfigSource(own, clock);
      const machine = new HollowMachine({ nodeName: spec.name, clock, config: ownConfig, logs: runtime, bootId });
      const kubelet = new Kubelet({
        node: { addresses: addressesOf(spec.name, index), ...options.defaults, ...spec },
        clients: own,
        runtime: runtime.services,
        machine,
        relistMs: Number.POSITIVE_INFINITY,
        clock,
        random,
        eventLoop,
        logger,
        pods: this.#pods,
        nodes: this.#nodes,
        config: ownConfig,
        recorder: this.#recorder.withSource({ component: 'kubelet', host: spec.name }),
      });
      return { kubelet, runtime };
    };
    this.#byName = new Map(
      specs.map((spec, index) => [spec.name, new HollowNode(() => boot(spec, index), this.#nodes)]),
    );
  }

  get kubelets(): readonly Kubelet[] {
    return Array.from(this.#byName.values(), ({ kubelet }) => kubelet);
  }

  /** Returns the way to a node's kubelet without a socket, for `localKubelets` of an API server in this process. */
  dialer(nodeName: string): KubeletDialer | undefined {
    const node = this.#byName.get(nodeName);
    return node?.isAlive ? inProcessDialer(node.kubelet.handler) : undefined;
  }

  /** Runs all nodes until the signal is aborted. Resolves when no work is in progress any more. */
  async run(signal: AbortSignal): Promise<void> {
    const informers = [this.#pods.run(signal), this.#nodes.run(signal)];
    await Promise.all(Array.from(this.#byName.values(), (node) => node.run(signal)));
    await Promise.all([...informers, this.#recorder.stop()]);
  }
}

/** Limits the rate of event writes, so that the events of a thousand pods don't delay the pods themselves. */
function paced(events: ClientSet['core']['v1']['events'], rate: RateLimiter): EventClients<Event> {
  return (namespace) => {
    const client = events(namespace);
    return {
      async create(event, options) {
        await rate.wait(options?.signal);
        return await client.create(event, options);
      },
      patch: client.patch.bind(client),
    };
  };
}

const numbered = (count: number): NodeSpec[] => Array.from({ length: count }, (_, i) => ({ name: `hollow-${i}` }));

/** Returns a distinct address for each node. Nothing listens there. */
const addressesOf = (name: string, index: number): NodeSpec['addresses'] => [
  { type: 'InternalIP', address: `172.18.${((index + 2) >> 8) & 255}.${(index + 2) & 255}` },
  { type: 'Hostname', address: name },
];
