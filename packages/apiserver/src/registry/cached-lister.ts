import type { KubernetesObject } from '@coxswain/apimachinery';
import { LruCache } from '@coxswain/apimachinery/cache';
import type { CacheEntry, CacheEvent } from '@coxswain/storage';
import type { Lister } from './lister.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import type { StoredObject } from './stored-object.ts';

/** The maximum number of decoded objects per resource, which take many times more memory than their bytes. */
const maxDecoded = 2000;

/**
 * The decoded objects of a registry, for parts of the server that read the same few objects repeatedly. Objects are decoded on
 * first use and kept until they change. Requests of clients do not use it.
 */
export class CachedLister<T extends KubernetesObject> implements Lister<T> {
  readonly synced: Promise<void>;
  readonly #registry: ResourceRegistry;
  /** By key. Least recently used objects are evicted first. */
  readonly #decoded = new LruCache<string, { readonly stored: StoredObject; readonly object: T }>(maxDecoded);
  readonly #listeners = new Set<(object: T | undefined, old: T | undefined) => void>();

  constructor(registry: ResourceRegistry) {
    this.#registry = registry;
    this.synced = registry.ready();
    // Errors reach the callers that await `synced`. When the server stops before, there may be none.
    this.synced.then(() => this.#watch(registry.cache.revision)).catch(() => {});
  }

  /** The number of objects kept decoded. Deleted and outdated objects are not among them. */
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

  /** Watches the cache. When that watch fails, listeners are called for all current objects. */
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

  /** Returns a function that calls the listeners with the decoded objects. */
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
    // The written object does not have its new resourceVersion yet.
    return { ...fresh, metadata: { ...fresh.metadata, resourceVersion: String(revision) } } as T;
  }
}
