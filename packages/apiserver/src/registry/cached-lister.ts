import type { KubernetesObject } from '@coxswain/apimachinery';
import type { Lister } from './lister.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import type { StoredObject } from './stored-object.ts';

/**
 * The objects of a registry, decoded when somebody asks for them and kept decoded until they change. Nobody's request
 * for a kind is answered from here: it is for the server's own parts, which read the same few objects again and again.
 */
export class CachedLister<T extends KubernetesObject> implements Lister<T> {
  readonly synced: Promise<void>;
  readonly #registry: ResourceRegistry;
  readonly #decoded = new WeakMap<StoredObject, T>();
  readonly #listeners = new Set<(object: T | undefined, old: T | undefined) => void>();
  #watching = false;

  constructor(registry: ResourceRegistry) {
    this.#registry = registry;
    this.synced = registry.ready();
    // Whoever needs it waits for it; the server that is stopped before does not.
    this.synced.catch(() => {});
  }

  get(namespace: string, name: string): T | undefined {
    if (name === '') return undefined;
    const entry = this.#registry.cache.get(`${this.#registry.keys.namespacePrefix(namespace)}${name}`);
    return entry && this.#decode(entry.value);
  }

  list(namespace = ''): T[] {
    const { cache, keys } = this.#registry;
    return cache.list(keys.namespacePrefix(namespace)).entries.map(({ value }) => this.#decode(value));
  }

  onChange(callback: (object: T | undefined, old: T | undefined) => void): () => void {
    this.#listeners.add(callback);
    if (!this.#watching) {
      this.#watching = true;
      void this.synced.then(
        () => this.#watch(this.#registry.cache.revision),
        () => {},
      );
    }
    return () => this.#listeners.delete(callback);
  }

  /** Follows the cache. When that loses its place, everything it has now is told of once more. */
  #watch(after: number): void {
    const { cache, keys } = this.#registry;
    cache.watch(keys.prefix, after, {
      onEvents: (events) => {
        for (const { type, entry, previous } of events) {
          const object = type === 'put' ? this.#decode(entry.value) : undefined;
          const old = previous && this.#decode(previous.value);
          for (const listener of this.#listeners) listener(object, old);
        }
      },
      onEnd: (error) => {
        if (!error) return;
        for (const object of this.list()) for (const listener of this.#listeners) listener(object, undefined);
        this.#watch(cache.revision);
      },
    });
  }

  #decode(stored: StoredObject): T {
    let object = this.#decoded.get(stored);
    if (!object) {
      object = this.#registry.codec.decode(stored.line) as T;
      this.#decoded.set(stored, object);
    }
    return object;
  }
}
