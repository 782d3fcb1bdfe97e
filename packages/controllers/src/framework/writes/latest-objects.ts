import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { metaNamespaceKey, type SharedIndexInformer } from '@coxswain/client';
import { isNewerVersion } from './own-writes.ts';

/**
 * An informer's objects, and beside them what the controller has written itself and the informer has not seen yet. Who
 * decides by these does not decide twice.
 *
 * Holds what was written since the informer last caught up.
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

  /** What the server answered to a write. */
  wrote(object: T): T {
    for (const [key, written] of this.#written) if (!this.#isAhead(written)) this.#written.delete(key);
    if (this.#isAhead(object)) this.#written.set(metaNamespaceKey(object), object);
    return object;
  }

  /** The objects of an index of the informer, each as it is now: it may not belong there any more. */
  byIndex(index: string, value: string): T[] {
    const { indexer } = this.informer;
    if (this.#written.size === 0) return indexer.byIndex(index, value);
    return indexer.indexKeys(index, value).flatMap((key) => this.get(key) ?? []);
  }

  /** What was written and the informer has not seen yet. */
  unseen(): T[] {
    return [...this.#written.values()].filter((written) => this.#isAhead(written));
  }

  #isAhead({ metadata }: T): boolean {
    return isNewerVersion(metadata?.resourceVersion ?? '', this.informer.lastSyncResourceVersion);
  }
}
