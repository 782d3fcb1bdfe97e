import type { Node } from '@coxswain/api/core/v1';
import type { ResourceSlice } from '@coxswain/api/resource/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { DeviceEntry } from './device-entry.ts';
import { nodeTest } from './node-test.ts';
import { buildPool, hasCounters, type Pool, poolKey, unusablePool } from './pool.ts';

/** The pools that a node can use, in search order. */
export interface NodePools {
  readonly pools: readonly Pool[];
  /** The devices of all usable pools. */
  readonly devices: readonly DeviceEntry[];
}

/** An immutable index of slices by node and pool; after a change a new index is needed. Results per node are cached by node object. */
export class SliceIndex {
  readonly #byNode = new Map<string, ResourceSlice[]>();
  /** Slices that may be for any node. */
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

  /** Throws an Error when a slice has an invalid node selector. */
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
      // Slices of a newer generation replace all older ones of the pool.
      const generation = known?.[0]?.spec.pool.generation ?? 0;
      if (!known || slice.spec.pool.generation > generation) byPool.set(poolKey(slice), [slice]);
      else if (slice.spec.pool.generation === generation) known.push(slice);
    }
    const pools = [...byPool].flatMap(([key, slices]) => this.#pool(key, slices) ?? []);
    pools.sort(inOrderOfSearch);
    return { pools, devices: pools.flatMap(({ devices }) => devices) };
  }

  /** Undefined when a newer generation exists that has no slices for the node. */
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

  /** Slices with counters apply to all nodes of the pool. */
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

/** Pools with binding conditions come last; otherwise sorted by driver and pool name. */
function inOrderOfSearch(a: Pool, b: Pool): number {
  if (a.hasBindingConditions !== b.hasBindingConditions) return a.hasBindingConditions ? 1 : -1;
  const [driverA = '', poolA = ''] = splitAtFirst(a.key);
  const [driverB = '', poolB = ''] = splitAtFirst(b.key);
  if (driverA !== driverB) return driverA < driverB ? -1 : 1;
  return poolA < poolB ? -1 : 1;
}

/** Driver names contain no slash, pool names may. */
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
