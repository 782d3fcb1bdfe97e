import { type DeletedFinalStateUnknown, deletedObject } from './keys.ts';

/**
 * What wants to know of changes. Calls come one after the other: where one returns a promise, the next waits for it. A
 * method that throws or rejects is reported to the informer's `onError`, and the next event comes all the same.
 *
 * For every object there is an add, then updates, then a delete, in order. Objects are shared with the cache: do not
 * change them.
 */
export interface ResourceEventHandler<T> {
  /** `isInInitialList`: it was there when the handler or the informer began. */
  onAdd?(object: T, isInInitialList: boolean): void | Promise<void>;
  /** On a resync both are the same object. */
  onUpdate?(old: T, object: T): void | Promise<void>;
  /** A `DeletedFinalStateUnknown` when the deletion itself was missed. */
  onDelete?(object: T | DeletedFinalStateUnknown<T>): void | Promise<void>;
}

/**
 * Lets through what the filter takes. An object that comes to pass it is an add to the handler, one that ceases to pass
 * it is a delete.
 */
export class FilteringResourceEventHandler<T> implements ResourceEventHandler<T> {
  readonly #filter: (object: T) => boolean;
  readonly #handler: ResourceEventHandler<T>;

  constructor(filter: (object: T) => boolean, handler: ResourceEventHandler<T>) {
    this.#filter = filter;
    this.#handler = handler;
  }

  onAdd(object: T, isInInitialList: boolean): void | Promise<void> {
    if (this.#filter(object)) return this.#handler.onAdd?.(object, isInInitialList);
  }

  onUpdate(old: T, object: T): void | Promise<void> {
    const before = this.#filter(old);
    const after = this.#filter(object);
    if (before && after) return this.#handler.onUpdate?.(old, object);
    if (after) return this.#handler.onAdd?.(object, false);
    if (before) return this.#handler.onDelete?.(old);
  }

  onDelete(deleted: T | DeletedFinalStateUnknown<T>): void | Promise<void> {
    const object = deletedObject(deleted);
    if (this.#filter(object)) return this.#handler.onDelete?.(deleted);
  }
}
