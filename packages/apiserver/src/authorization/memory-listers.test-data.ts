import type { KubernetesObject } from '@coxswain/apimachinery';
import type { Lister, Listers } from '../registry/lister.ts';

type Change = (object: KubernetesObject | undefined, old: KubernetesObject | undefined) => void;

const keyOf = ({ metadata }: KubernetesObject): string => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;

/** A lister over objects in memory. */
class MemoryLister implements Lister {
  readonly synced = Promise.resolve();
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #callbacks = new Set<Change>();

  get(namespace: string, name: string): KubernetesObject | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  list(namespace?: string): KubernetesObject[] {
    return [...this.#objects.values()]
      .filter(({ metadata }) => namespace === undefined || metadata?.namespace === namespace)
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }

  onChange(callback: Change): () => void {
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }

  get followers(): number {
    return this.#callbacks.size;
  }

  set(object: KubernetesObject): void {
    const old = this.#objects.get(keyOf(object));
    this.#objects.set(keyOf(object), object);
    for (const callback of this.#callbacks) callback(object, old);
  }

  delete(namespace: string, name: string): void {
    const old = this.#objects.get(`${namespace}/${name}`);
    if (!old) return;
    this.#objects.delete(`${namespace}/${name}`);
    for (const callback of this.#callbacks) callback(undefined, old);
  }
}

/** Listers over objects that a test sets and deletes. Changes are reported synchronously. */
export class MemoryListers implements Listers {
  readonly #listers = new Map<string, MemoryLister>();

  lister<T extends KubernetesObject>(group: string, resource: string): Lister<T> {
    // The test sets objects of the type that is requested.
    return this.of(group, resource) as unknown as Lister<T>;
  }

  of(group: string, resource: string): MemoryLister {
    const key = `${group}/${resource}`;
    const lister = this.#listers.get(key) ?? new MemoryLister();
    this.#listers.set(key, lister);
    return lister;
  }

  /** Derives the resource from the object's apiVersion and kind. */
  set(...objects: readonly KubernetesObject[]): this {
    for (const object of objects) {
      const [group = '', version] = (object.apiVersion ?? '').split('/');
      const kind = (object.kind ?? '').toLowerCase();
      const plural = kind.endsWith('policy') ? kind.replace(/y$/, 'ies') : `${kind}${kind.endsWith('s') ? 'es' : 's'}`;
      this.of(version === undefined ? '' : group, plural).set(object);
    }
    return this;
  }

  get followers(): number {
    return [...this.#listers.values()].reduce((sum, { followers }) => sum + followers, 0);
  }
}
