import type { Node } from '@coxswain/api/core/v1';

/** The names of nodes by zone. `list` takes one node of each zone in turn, so that pods spread over zones. */
export class NodeTree {
  /** Zones, and the nodes in each, are in the order in which they were first added. No zone is empty. */
  readonly #zones = new Map<string, Set<string>>();
  readonly #zoneOf = new Map<string, string>();

  get size(): number {
    return this.#zoneOf.size;
  }

  /** Adds a node, or moves it to its current zone. Returns whether the list has changed. */
  set(node: Node): boolean {
    const name = node.metadata.name ?? '';
    const zone = zoneKey(node);
    if (this.#zoneOf.get(name) === zone) return false;
    this.remove(name);
    this.#zoneOf.set(name, zone);
    const names = this.#zones.get(zone);
    if (names) names.add(name);
    else this.#zones.set(zone, new Set([name]));
    return true;
  }

  /** Returns whether the node was in the tree. */
  remove(name: string): boolean {
    const zone = this.#zoneOf.get(name);
    if (zone === undefined) return false;
    this.#zoneOf.delete(name);
    const names = this.#zones.get(zone)!;
    names.delete(name);
    if (names.size === 0) this.#zones.delete(zone);
    return true;
  }

  list(): string[] {
    const names: string[] = [];
    let iterators = [...this.#zones.values()].map((zone) => zone.values());
    while (iterators.length > 0) {
      iterators = iterators.filter((iterator) => {
        const { value, done } = iterator.next();
        if (!done) names.push(value);
        return !done;
      });
    }
    return names;
  }
}

/** Region and zone together. The deprecated failure-domain labels take precedence. */
function zoneKey({ metadata: { labels } }: Node): string {
  const zone = labels?.['failure-domain.beta.kubernetes.io/zone'] ?? labels?.['topology.kubernetes.io/zone'] ?? '';
  const region =
    labels?.['failure-domain.beta.kubernetes.io/region'] ?? labels?.['topology.kubernetes.io/region'] ?? '';
  // NUL is a safe separator: label values cannot contain it.
  return zone || region ? `${region}\0${zone}` : '';
}
