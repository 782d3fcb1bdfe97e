import type { ConfigMap, PersistentVolumeClaim, Secret } from '@coxswain/api/core/v1';
import type { RuntimeClass } from '@coxswain/api/node/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import type { ClientSet, Clock } from '@coxswain/client';

/** What pods refer to. Undefined for what does not exist; rejects when the server cannot be asked. */
export interface ConfigSource {
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
  secret(namespace: string, name: string): Promise<Secret | undefined>;
  claim(namespace: string, name: string): Promise<PersistentVolumeClaim | undefined>;
  runtimeClass(name: string): Promise<RuntimeClass | undefined>;
}

interface Cached<T> {
  readonly value: Promise<T | undefined>;
  readonly untilMs: number;
}

const validForMs = 60_000;
const mostEntries = 4096;

/** Asks the API server, and remembers for a minute what was there. What was not is asked for again each time. */
export class CachedConfigSource implements ConfigSource {
  readonly #clients: ClientSet;
  readonly #clock: Clock;
  /** In the order in which they were asked for, and so in which they end. */
  readonly #configMaps = new Map<string, Cached<ConfigMap>>();
  readonly #secrets = new Map<string, Cached<Secret>>();

  constructor(clients: ClientSet, clock: Clock) {
    this.#clients = clients;
    this.#clock = clock;
  }

  /** How many objects are remembered. */
  get size(): number {
    return this.#configMaps.size + this.#secrets.size;
  }

  configMap(namespace: string, name: string): Promise<ConfigMap | undefined> {
    return this.#cached(this.#configMaps, namespace, name, () => this.#clients.core.v1.configMaps(namespace).get(name));
  }

  secret(namespace: string, name: string): Promise<Secret | undefined> {
    return this.#cached(this.#secrets, namespace, name, () => this.#clients.core.v1.secrets(namespace).get(name));
  }

  /** Claims change until they are bound: never remembered. */
  claim(namespace: string, name: string): Promise<PersistentVolumeClaim | undefined> {
    return found(this.#clients.core.v1.persistentVolumeClaims(namespace).get(name));
  }

  runtimeClass(name: string): Promise<RuntimeClass | undefined> {
    return found(this.#clients.node.v1.runtimeClasses().get(name));
  }

  #cached<T>(
    cache: Map<string, Cached<T>>,
    namespace: string,
    name: string,
    get: () => Promise<T>,
  ): Promise<T | undefined> {
    const key = `${namespace}/${name}`;
    const known = cache.get(key);
    if (known && known.untilMs > this.#clock.now()) return known.value;
    const value = found(get()).then(
      (object) => {
        if (object === undefined) cache.delete(key);
        return object;
      },
      (error: unknown) => {
        cache.delete(key);
        throw error;
      },
    );
    const nowMs = this.#clock.now();
    cache.delete(key);
    cache.set(key, { value, untilMs: nowMs + validForMs });
    for (const [oldest, { untilMs }] of cache) {
      if (cache.size <= mostEntries && untilMs > nowMs) break;
      cache.delete(oldest);
    }
    return value;
  }
}

async function found<T>(get: Promise<T>): Promise<T | undefined> {
  try {
    return await get;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
