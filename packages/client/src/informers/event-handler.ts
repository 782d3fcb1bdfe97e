import { type DeletedFinalStateUnknown, deletedObject } from './keys.ts';

/**
 * Receives the changes of objects. Calls are sequential: when a method returns a promise, the next call waits for it. A
 * method that throws or rejects is reported to the informer's `onError`, and the next event is delivered nevertheless.
 *
 * For every object there is an add, then updates, then a delete, in order. Objects are shared with the cache: do not
 * modify them.
 */
export interface ResourceEventHandler<T> {
  /** `isInInitialList` is true for objects that existed when the handler was added or the informer started. */
  onAdd?(object: T, isInInitialList: boolean): void | Promise<void>;
  /** On a resync both arguments are the same object. */
  onUpdate?(old: T, object: T): void | Promise<void>;
  /** The argument is a `DeletedFinalStateUnknown` when the watch event of the deletion was missed. */
  onDelete?(object: T | DeletedFinalStateUnknown<T>): void | Promise<void>;
}

/**
 * Passes on only the objects that match the filter. An object that starts to match is an add for the handler; one that
 * ceases to match is a delete.
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
