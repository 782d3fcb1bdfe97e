import type { Node } from '@coxswain/api/core/v1';

/** The names of nodes by zone, to be listed such that pods spread: one of each zone in turn. */
export class NodeTree {
  /** In the order in which zones, and nodes in them, were first seen. None is empty. */
  readonly #zones = new Map<string, Set<string>>();
  readonly #zoneOf = new Map<string, string>();

  get size(): number {
    return this.#zoneOf.size;
  }

  /** Adds a node, or moves it to the zone that it is in now. Whether the list is another than before. */
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

  /** Whether the node was there. */
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

/** Region and zone together; the labels of old clusters go first. */
function zoneKey({ metadata: { labels } }: Node): string {
  const zone = labels?.['failure-domain.beta.kubernetes.io/zone'] ?? labels?.['topology.kubernetes.io/zone'] ?? '';
  const region =
    labels?.['failure-domain.beta.kubernetes.io/region'] ?? labels?.['topology.kubernetes.io/region'] ?? '';
  // No label has such a character.
  return zone || region ? `${region}\0${zone}` : '';
}
