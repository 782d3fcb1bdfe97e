import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { deletedObject, type SharedIndexInformer } from '@coxswain/client';

/**
 * What an informer knows, and over it changes that are about to be written to the server. Such a change is of one version of
 * its object: any other that the informer hears of takes its place. So it holds no more than the informer does.
 */
export class AssumeCache<T extends KubernetesObject> {
  readonly #informer: SharedIndexInformer<T>;
  readonly #assumed = new Map<string, T>();
  /** By key: who wants to know when the object changes. */
  readonly #listeners = new Map<string, Set<() => void>>();

  constructor(informer: SharedIndexInformer<T>) {
    this.#informer = informer;
    informer.addEventHandler({
      onAdd: (object) => this.#changed(object),
      onUpdate: (_, object) => this.#changed(object),
      onDelete: (object) => this.#changed(deletedObject(object)),
    });
  }

  /** As it is going to be. */
  get(key: string): T | undefined {
    const stored = this.stored(key);
    return stored && this.#assumedOr(key, stored);
  }

  /** As the informer knows it. */
  stored(key: string): T | undefined {
    return this.#informer.indexer.getByKey(key);
  }

  /** Each as it is going to be; found by what the informer knows. */
  byIndex(index: string, value: string): T[] {
    const { indexer } = this.#informer;
    return indexer.byIndex(index, value).map((stored) => this.#assumedOr(indexer.keyOf(stored), stored));
  }

  /** Throws when the object has changed since the version that this is made from. */
  assume(object: T): void {
    const key = this.#informer.indexer.keyOf(object);
    const stored = versionOf(this.stored(key));
    const version = versionOf(object);
    if (stored !== version) throw new Error(`"${key}" is out of sync (stored: ${stored}, assume: ${version})`);
    this.#assumed.set(key, object);
  }

  /** The change is not going to be made. Nothing happens when another version is assumed. */
  restore(object: T): void {
    const key = this.#informer.indexer.keyOf(object);
    if (versionOf(this.#assumed.get(key)) === versionOf(object)) this.#assumed.delete(key);
  }

  /** Calls back after every change of one of these, until the returned function is called. */
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
