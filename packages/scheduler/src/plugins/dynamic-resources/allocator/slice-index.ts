import type { Node } from '@coxswain/api/core/v1';
import type { ResourceSlice } from '@coxswain/api/resource/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { DeviceEntry } from './device-entry.ts';
import { nodeTest } from './node-test.ts';
import { buildPool, hasCounters, type Pool, poolKey, unusablePool } from './pool.ts';

/** The pools that a node can use, in the order in which devices are looked for. */
export interface NodePools {
  readonly pools: readonly Pool[];
  /** Of all pools that can be used. */
  readonly devices: readonly DeviceEntry[];
}

/**
 * All slices, found by node and pool. They are taken as they are: when one changes there has to be another index. What was
 * found out for a node is kept as long as the node stays what it is.
 */
export class SliceIndex {
  readonly #byNode = new Map<string, ResourceSlice[]>();
  /** Those that may be for any node. */
  readonly #shared: ResourceSlice[] = [];
  readonly #byPool = new Map<string, ResourceSlice[]>();
  readonly #entries = new Map<ResourceSlice, readonly DeviceEntry[]>();
  readonly #tests = new Map<ResourceSlice, (node: Node) => boolean>();
  readonly #pools = new WeakMap<Node, NodePools>();

  constructor(slices: Iterable<ResourceSlice>) {
    for (const slice of slices) {
      const { nodeName } = slice.spec;
      if (nodeName && !hasCounters(slice)) listAt(this.#byNode, nodeName).push(slice);
      else this.#shared.push(slice);
      listAt(this.#byPool, poolKey(slice)).push(slice);
    }
  }

  /** Throws when a slice says nonsense about the nodes it is for. */
  poolsOf(node: Node): NodePools {
    const known = this.#pools.get(node);
    if (known) return known;
    const found = this.#gather(node);
    this.#pools.set(node, found);
    return found;
  }

  #gather(node: Node): NodePools {
    const byPool = new Map<string, ResourceSlice[]>();
    for (const slice of [...(this.#byNode.get(node.metadata.name ?? '') ?? []), ...this.#shared]) {
      if (!this.#isFor(slice, node)) continue;
      const known = byPool.get(poolKey(slice));
      // A new generation takes the place of the old as a whole.
      const generation = known?.[0]?.spec.pool.generation ?? 0;
      if (!known || slice.spec.pool.generation > generation) byPool.set(poolKey(slice), [slice]);
      else if (slice.spec.pool.generation === generation) known.push(slice);
    }
    const pools = [...byPool].flatMap(([key, slices]) => this.#pool(key, slices) ?? []);
    pools.sort(inOrderOfSearch);
    return { pools, devices: pools.flatMap(({ devices }) => devices) };
  }

  /** Undefined for one that is about to be replaced by another generation, which has nothing for the node. */
  #pool(key: string, slices: readonly ResourceSlice[]): Pool | undefined {
    const { generation, resourceSliceCount } = slices[0]!.spec.pool;
    if (slices.length === resourceSliceCount) return buildPool(key, slices, [], this.#entriesOf);
    const all = this.#byPool.get(key) ?? [];
    if (all.some(({ spec }) => spec.pool.generation > generation)) return undefined;
    const current = all.filter(({ spec }) => spec.pool.generation === generation);
    if (current.length !== resourceSliceCount) return unusablePool(key, 'incomplete');
    const others = current.filter((slice) => !slices.includes(slice));
    return buildPool(key, slices, others, this.#entriesOf);
  }

  /** Counters are for all who use the pool. */
  #isFor(slice: ResourceSlice, node: Node): boolean {
    if (hasCounters(slice)) return true;
    const { name } = slice.metadata;
    const { nodeName, allNodes, nodeSelector, perDeviceNodeSelection } = slice.spec;
    if (nodeName || allNodes || nodeSelector) {
      const isForNode = this.#tests.get(slice) ?? explained(() => nodeTest(slice.spec), `slice ${name}`);
      this.#tests.set(slice, isForNode);
      return isForNode(node);
    }
    if (!perDeviceNodeSelection) return false;
    return this.#entriesOf(slice).some((entry) =>
      explained(() => entry.isForNode(node), `device ${entry.device.name} in slice ${name}`),
    );
  }

  readonly #entriesOf = (slice: ResourceSlice): readonly DeviceEntry[] => {
    const known = this.#entries.get(slice);
    if (known) return known;
    const entries = (slice.spec.devices ?? []).map((device) => new DeviceEntry(slice, device));
    this.#entries.set(slice, entries);
    return entries;
  };
}

function explained<T>(select: () => T, what: string): T {
  try {
    return select();
  } catch (cause) {
    const message = messageOf(cause);
    throw new Error(`gather pool information: failed to perform node selection for ${what}: ${message}`, { cause });
  }
}

/** Devices that need preparing come last; else drivers and pools by name. */
function inOrderOfSearch(a: Pool, b: Pool): number {
  if (a.hasBindingConditions !== b.hasBindingConditions) return a.hasBindingConditions ? 1 : -1;
  const [driverA = '', poolA = ''] = splitAtFirst(a.key);
  const [driverB = '', poolB = ''] = splitAtFirst(b.key);
  if (driverA !== driverB) return driverA < driverB ? -1 : 1;
  return poolA < poolB ? -1 : 1;
}

/** Names of drivers have no slash, those of pools may. */
const splitAtFirst = (key: string): [string, string] => {
  const at = key.indexOf('/');
  return [key.slice(0, at), key.slice(at + 1)];
};

function listAt<K, V>(map: Map<K, V[]>, key: K): V[] {
  const known = map.get(key);
  if (known) return known;
  const added: V[] = [];
  map.set(key, added);
  return added;
}
