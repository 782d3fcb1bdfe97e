import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { metaNamespaceKey, type SharedIndexInformer } from '@coxswain/client';
import { isNewerVersion } from './own-writes.ts';

/**
 * Combines an informer's cache with the objects that the controller has just written and the informer has not received yet, so
 * that decisions are not repeated because of a stale cache.
 *
 * Holds only the objects written since the informer last caught up.
 */
export class LatestObjects<T extends KubernetesObject> {
  readonly informer: SharedIndexInformer<T>;
  readonly #written = new Map<string, T>();

  constructor(informer: SharedIndexInformer<T>) {
    this.informer = informer;
  }

  get(key: string): T | undefined {
    const written = this.#written.get(key);
    if (written && this.#isAhead(written)) return written;
    this.#written.delete(key);
    return this.informer.indexer.getByKey(key);
  }

  /** Records the object that the server returned for a write. */
  wrote(object: T): T {
    for (const [key, written] of this.#written) if (!this.#isAhead(written)) this.#written.delete(key);
    if (this.#isAhead(object)) this.#written.set(metaNamespaceKey(object), object);
    return object;
  }

  /** Returns the latest versions of the objects in an index of the informer. An object may no longer belong to the index value. */
  byIndex(index: string, value: string): T[] {
    const { indexer } = this.informer;
    if (this.#written.size === 0) return indexer.byIndex(index, value);
    return indexer.indexKeys(index, value).flatMap((key) => this.get(key) ?? []);
  }

  /** Returns the written objects that the informer has not received yet. */
  unseen(): T[] {
    return [...this.#written.values()].filter((written) => this.#isAhead(written));
  }

  #isAhead({ metadata }: T): boolean {
    return isNewerVersion(metadata?.resourceVersion ?? '', this.informer.lastSyncResourceVersion);
  }
}
