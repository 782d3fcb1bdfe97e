import { ClientSet } from '@coxswain/client';
import { HollowNodes, type KubeletDialer, type NodeSpec } from '@coxswain/kubelet';
import type { ComponentContext } from '../component.ts';
import { administrator, controllerManager, kubeletOf } from '../identities.ts';
import { untilStopped } from '../until-stopped.ts';
import { labelNodes, withKubeletLabels } from './node-labels.ts';
import type { NodeProvider } from './node-provider.ts';

export interface HollowNodeOptions {
  /** Runs each node separately, so that a single one can be killed. Costs watches for each node. */
  readonly separate?: boolean;
  /** How long containers keep running after a request to stop; 0 by default. */
  readonly stopDelayMs?: number;
}

/** Pods have addresses in this range, with 256 addresses for each node. The larger range is for more than 250 nodes. */
const [podRange, largePodRange] = ['10.244.0.0/16', '10.128.0.0/9'];

const nodeRange = '172.18.0.0/16';

interface RunningFleet {
  readonly nodes: HollowNodes;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Nodes that run no containers: all as one fleet, or each separately, so that a single one can be killed. */
export class HollowNodeProvider implements NodeProvider {
  readonly specs: readonly NodeSpec[];
  readonly podRanges: readonly string[];
  readonly #options: HollowNodeOptions;
  /** By node name when nodes are separate; otherwise a single fleet. */
  readonly #fleets = new Map<string, RunningFleet>();
  /** The names of killed nodes. */
  readonly #dead = new Set<string>();
  /** Set while the nodes run. */
  #context: ComponentContext | undefined;

  /** `nodes` is their number (named `hollow-0` and so on), or their specs. */
  constructor(nodes: number | readonly NodeSpec[] = 2, options: HollowNodeOptions = {}) {
    this.#options = options;
    this.specs = (typeof nodes === 'number' ? numbered(nodes) : nodes).map(withAddress);
    this.podRanges = [this.specs.length > 250 ? largePodRange : podRange];
  }

  get names(): string[] {
    return this.specs.map(({ name }) => name);
  }

  hollowRanges(serviceRanges: readonly string[]): readonly string[] {
    return [...this.podRanges, nodeRange, ...serviceRanges];
  }

  isAlive(name: string): boolean {
    return this.#context !== undefined && this.names.includes(name) && !this.#dead.has(name);
  }

  dialer(name: string): KubeletDialer | undefined {
    if (!this.isAlive(name)) return undefined;
    return [...this.#fleets.values()].map(({ nodes }) => nodes.dialer(name)).find((dialer) => dialer !== undefined);
  }

  /** Runs the nodes that were not killed. */
  async run(context: ComponentContext): Promise<void> {
    const { signal } = context;
    this.#context = context;
    if (this.#options.separate) for (const spec of this.specs) this.#start(spec, context);
    else this.#startFleet('', this.specs, context);
    await untilStopped(signal);
    this.#context = undefined;
    await Promise.all([...this.#fleets.keys()].map((name) => this.#stop(name)));
  }

  async kill(name: string): Promise<void> {
    this.#find(name);
    this.#dead.add(name);
    await this.#stop(name);
  }

  revive(name: string): void {
    const spec = this.#find(name);
    this.#dead.delete(name);
    if (this.#context) this.#start(spec, this.#context);
  }

  #find(name: string): NodeSpec {
    if (!this.#options.separate)
      throw new Error('single nodes can only be killed and revived with the option separate');
    const spec = this.specs.find((each) => each.name === name);
    if (!spec) throw new Error(`there is no node ${name}, only ${this.names.join(', ') || 'none at all'}`);
    return spec;
  }

  #start(spec: NodeSpec, context: ComponentContext): void {
    if (!this.#dead.has(spec.name) && !this.#fleets.has(spec.name)) this.#startFleet(spec.name, [spec], context);
  }

  #startFleet(name: string, specs: readonly NodeSpec[], context: ComponentContext): void {
    const { clientAs, clock, random, eventLoop, logger } = context;
    const { stopDelayMs } = this.#options;
    const nodes = new HollowNodes({
      rest: clientAs(controllerManager),
      restOf: (node) => clientAs(kubeletOf(node)),
      nodes: specs.map(withKubeletLabels),
      clock,
      random: random.number,
      uuid: random.uuid,
      eventLoop,
      logger,
      ...(stopDelayMs !== undefined && { stopDelayMs }),
    });
    const stop = new AbortController();
    const { signal } = stop;
    const labelled = labelNodes(() => new ClientSet(clientAs(administrator)), specs, { clock, signal }).catch(
      (error: unknown) => {
        if (!signal.aborted) logger.error('Failed to label all nodes', error);
      },
    );
    this.#fleets.set(name, { nodes, stop, ended: Promise.all([nodes.run(signal), labelled]).then(() => {}) });
  }

  async #stop(name: string): Promise<void> {
    const fleet = this.#fleets.get(name);
    fleet?.stop.abort();
    await fleet?.ended;
    this.#fleets.delete(name);
  }
}

const numbered = (count: number): NodeSpec[] =>
  Array.from({ length: count }, (_, index) => ({ name: `hollow-${index}` }));

/** Gives each node its own InternalIP, where nothing listens, and its Hostname. */
const withAddress = (spec: NodeSpec, index: number): NodeSpec => ({
  addresses: [
    { type: 'InternalIP', address: `172.18.${((index + 2) >> 8) & 255}.${(index + 2) & 255}` },
    { type: 'Hostname', address: spec.name },
  ],
  ...spec,
});
