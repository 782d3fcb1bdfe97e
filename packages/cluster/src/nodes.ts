import { ClientSet } from '@coxswain/client';
import { HollowNodes, type NodeSpec } from '@coxswain/kubelet';
import { nodeAddress } from './addresses.ts';
import type { ClusterContext } from './cluster.ts';
import { administrator, controllerManager, kubeletOf } from './identities.ts';
import { labelNodes, withKubeletLabels } from './node-labels.ts';

const defaultNodes = 2;

interface RunningFleet {
  readonly nodes: HollowNodes;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** The hollow nodes of a cluster: all as one, or each on its own so that one can die. */
export class ClusterNodes {
  readonly #context: ClusterContext;
  readonly #specs: ReadonlyMap<string, NodeSpec>;
  /** By the names of their nodes, where each is on its own; otherwise one. */
  readonly #fleets = new Map<string, RunningFleet>();
  /** Those that are not to run. */
  readonly #dead = new Set<string>();
  #signal: AbortSignal | undefined;

  constructor(context: ClusterContext) {
    this.#context = context;
    this.#specs = new Map(nodeSpecs(context.options.nodes).map((spec, index) => [spec.name, withAddress(spec, index)]));
  }

  get names(): string[] {
    return [...this.#specs.keys()];
  }

  /** Whether its kubelet runs. */
  isAlive(name: string): boolean {
    return this.#signal !== undefined && this.#specs.has(name) && !this.#dead.has(name);
  }

  dialer(name: string): ReturnType<HollowNodes['dialer']> {
    if (!this.isAlive(name)) return undefined;
    return [...this.#fleets.values()].map(({ nodes }) => nodes.dialer(name)).find((dialer) => dialer !== undefined);
  }

  /** Runs those that are alive until the signal is aborted; resolves when nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    if (this.#context.options.separateNodes) for (const name of this.#specs.keys()) this.#start(name);
    else this.#startFleet('', [...this.#specs.values()]);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#signal = undefined;
    await Promise.all([...this.#fleets.keys()].map((name) => this.#stop(name)));
  }

  /** Its kubelet is gone at once, with all that ran there. Throws when there is no such node. */
  async kill(name: string): Promise<void> {
    this.#mustKnow(name);
    this.#dead.add(name);
    await this.#stop(name);
  }

  /** It comes back, with nothing running on it. */
  revive(name: string): void {
    this.#mustKnow(name);
    this.#dead.delete(name);
    if (this.#signal) this.#start(name);
  }

  #mustKnow(name: string): void {
    if (!this.#context.options.separateNodes) throw new Error('the nodes are one fleet: see separateNodes');
    if (!this.#specs.has(name))
      throw new Error(`there is no node ${name}, only ${this.names.join(', ') || 'none at all'}`);
  }

  #start(name: string): void {
    if (!this.#dead.has(name) && !this.#fleets.has(name)) this.#startFleet(name, [this.#specs.get(name)!]);
  }

  #startFleet(name: string, specs: readonly NodeSpec[]): void {
    const { clientOf, clockOf, random, logger, options } = this.#context;
    const nodes = new HollowNodes({
      rest: clientOf('nodes', controllerManager),
      restOf: (node) => clientOf('nodes', kubeletOf(node)),
      nodes: specs.map(withKubeletLabels),
      clock: clockOf('nodes'),
      random,
      logger,
      ...(options.stopDelayMs !== undefined && { stopDelayMs: options.stopDelayMs }),
    });
    const stop = new AbortController();
    const { signal } = stop;
    const clients = () => new ClientSet(clientOf('nodes', administrator));
    const labelled = labelNodes(clients, specs, { clock: clockOf('nodes'), signal }).catch((error: unknown) => {
      if (!signal.aborted) logger.error('not all nodes have their labels', error);
    });
    this.#fleets.set(name, { nodes, stop, ended: Promise.all([nodes.run(signal), labelled]).then(() => {}) });
  }

  async #stop(name: string): Promise<void> {
    const fleet = this.#fleets.get(name);
    fleet?.stop.abort();
    await fleet?.ended;
    this.#fleets.delete(name);
  }
}

/** What the nodes are to be. */
export function nodeSpecs(nodes: number | readonly NodeSpec[] = defaultNodes): readonly NodeSpec[] {
  if (typeof nodes !== 'number') return nodes;
  return Array.from({ length: nodes }, (_, index) => ({ name: `hollow-${index}` }));
}

/** Each node has an address of its own, where nothing is; whichever others run beside it. */
const withAddress = (spec: NodeSpec, index: number): NodeSpec => ({
  addresses: [
    { type: 'InternalIP', address: nodeAddress(index) },
    { type: 'Hostname', address: spec.name },
  ],
  ...spec,
});
