import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { deletedObject, type SharedIndexInformer } from '@coxswain/client';

/**
 * An informer's cache overlaid with changes that are about to be written. An assumed change belongs to one version of its object, and is
 * dropped when the informer receives any other version. So there are never more than the informer has objects.
 */
export class AssumeCache<T extends KubernetesObject> {
  readonly #informer: SharedIndexInformer<T>;
  readonly #assumed = new Map<string, T>();
  /** By key: called when the object changes. */
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(informer: SharedIndexInformer<T>) {
    this.#informer = informer;
    informer.addEventHandler({
      onAdd: (object) => this.#changed(object),
      onUpdate: (_, object) => this.#changed(object),
      onDelete: (object) => this.#changed(deletedObject(object)),
    });
  }

  /** The object including the assumed change. */
  get(key: string): T | undefined {
    const stored = this.stored(key);
    return stored && this.#assumedOr(key, stored);
  }

  /** The object in the informer's cache. */
  stored(key: string): T | undefined {
    return this.#informer.indexer.getByKey(key);
  }

  /** The objects including assumed changes. The index contains the informer's objects. */
  byIndex(index: string, value: string): T[] {
    const { indexer } = this.#informer;
    return indexer.byIndex(index, value).map((stored) => this.#assumedOr(indexer.keyOf(stored), stored));
  }

  /** Assumes a change. Throws an Error when the informer's version of the object is not the one it is based on. */
  assume(object: T): void {
    const key = this.#informer.indexer.keyOf(object);
    const stored = versionOf(this.stored(key));
    const version = versionOf(object);
    if (stored !== version) throw new Error(`"${key}" is out of sync (stored: ${stored}, assume: ${version})`);
    this.#assumed.set(key, object);
  }

  /** Drops the assumed change. No effect when another version is assumed. */
  restore(object: T): void {
    const key = this.#informer.indexer.keyOf(object);
    if (versionOf(this.#assumed.get(key)) === versionOf(object)) this.#assumed.delete(key);
  }

  /** Calls `listener` after every change of one of the objects, until the returned function is called. */
  onChange(keys: readonly string[], listener: () => void): () => void {
    for (const key of keys) {
      const listeners = this.#listeners.get(key);
      if (listeners) listeners.add(listener);
      else this.#listeners.set(key, new Set([listener]));
    }
    return () => {
      for (const key of keys) {
        const listeners = this.#listeners.get(key);
        listeners?.delete(listener);
        if (listeners?.size === 0) this.#listeners.delete(key);
      }
    };
  }

  #assumedOr(key: string, stored: T): T {
    const assumed = this.#assumed.get(key);
    return assumed && versionOf(assumed) === versionOf(stored) ? assumed : stored;
  }

  #changed(object: T): void {
    const key = this.#informer.indexer.keyOf(object);
    const assumed = this.#assumed.get(key);
    if (assumed && versionOf(assumed) !== versionOf(this.stored(key))) this.#assumed.delete(key);
    for (const listener of this.#listeners.get(key) ?? []) listener();
  }
}

const versionOf = (object: KubernetesObject | undefined): string => object?.metadata?.resourceVersion ?? '';
