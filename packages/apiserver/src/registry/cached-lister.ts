import type { KubernetesObject } from '@coxswain/apimachinery';
import { LruCache } from '@coxswain/apimachinery/cache';
import type { CacheEntry, CacheEvent } from '@coxswain/storage';
import type { Lister } from './lister.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import type { StoredObject } from './stored-object.ts';

/** Objects take many times more memory decoded than as bytes: of a kind with more than these, most stay bytes. */
const maxDecoded = 2000;

/**
 * The objects of a registry, decoded when somebody asks for them and kept decoded until they change. Nobody's request
 * for a kind is answered from here: it is for the server's own parts, which read the same few objects again and again.
 */
export class CachedLister<T extends KubernetesObject> implements Lister<T> {
  readonly synced: Promise<void>;
  readonly #registry: ResourceRegistry;
  /** By key, the longest unused first. */
  readonly #decoded = new LruCache<string, { readonly stored: StoredObject; readonly object: T }>(maxDecoded);
  readonly #listeners = new Set<(object: T | undefined, old: T | undefined) => void>();

  constructor(registry: ResourceRegistry) {
    this.#registry = registry;
    this.synced = registry.ready();
    // Whoever needs it waits for it; the server that is stopped before does not.
    this.synced.then(() => this.#watch(registry.cache.revision)).catch(() => {});
  }

  /** How many objects are kept decoded: of those that are there, and as they are. */
  get decoded(): number {
    return this.#decoded.size;
  }

  get(namespace: string, name: string): T | undefined {
    if (name === '') return undefined;
    const entry = this.#registry.cache.get(`${this.#registry.keys.namespacePrefix(namespace)}${name}`);
    return entry && this.#recall(entry);
  }

  list(namespace = ''): T[] {
    const { cache, keys } = this.#registry;
    return cache.list(keys.namespacePrefix(namespace)).entries.map((entry) => this.#recall(entry));
  }

  onChange(callback: (object: T | undefined, old: T | undefined) => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** Follows the cache. When that loses its place, everything it has now is told of once more. */
  #watch(after: number): void {
    const { cache, keys } = this.#registry;
    cache.watch(keys.prefix, after, {
      onEvents: (events) => {
        for (const event of events) {
          const tell = this.#listeners.size > 0 ? this.#change(event) : undefined;
          if (event.type === 'delete' || !this.#known(event.entry)) this.#decoded.delete(event.entry.key);
          tell?.();
        }
      },
      onEnd: (error) => {
        if (!error) return;
        this.#decoded.clear();
        for (const object of this.list()) for (const listener of this.#listeners) listener(object, undefined);
        this.#watch(cache.revision);
      },
    });
  }

  /** How to tell of the change, with the objects decoded. */
  #change({ type, entry, previous }: CacheEvent<StoredObject>): () => void {
    const object = type === 'put' ? this.#decode(entry) : undefined;
    const old = previous && (this.#known(previous) ?? this.#decode(previous));
    return () => {
      for (const listener of this.#listeners) listener(object, old);
    };
  }

  #known({ key, value }: CacheEntry<StoredObject>): T | undefined {
    const kept = this.#decoded.peek(key);
    return kept?.stored === value ? kept.object : undefined;
  }

  #recall(entry: CacheEntry<StoredObject>): T {
    const known = this.#known(entry);
    if (known) return known;
    const { key, value } = entry;
    const object = this.#decode(entry);
    this.#decoded.set(key, { stored: value, object });
    return object;
  }

  #decode({ value: { fresh, line }, revision }: CacheEntry<StoredObject>): T {
    if (!fresh) return this.#registry.codec.decode(line) as T;
    // Whoever wrote it did not know yet.
    return { ...fresh, metadata: { ...fresh.metadata, resourceVersion: String(revision) } } as T;
  }
}
