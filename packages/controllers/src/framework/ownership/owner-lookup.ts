import { Selector } from '@coxswain/apimachinery/labels';
import { getControllerOfNoCopy, type KubernetesObject } from '@coxswain/apimachinery/meta';
import { NAMESPACE_INDEX, type SharedIndexInformer } from '@coxswain/client';

/** Finds the owners of one kind for an object, by controller reference and by selector. */
export class OwnerLookup<T extends KubernetesObject> {
  readonly #owners: SharedIndexInformer<T>;
  readonly #kind: string;
  readonly #selectorOf: (owner: T) => Selector;
  /** By the cached owner object, so an entry lives as long as that object. */
  readonly #selectors = new WeakMap<T, Selector>();

  /** `selectorOf` may throw for an invalid selector. Such an owner matches nothing. */
  constructor(owners: SharedIndexInformer<T>, kind: string, selectorOf: (owner: T) => Selector) {
    this.#owners = owners;
    this.#kind = kind;
    this.#selectorOf = selectorOf;
  }

  /** Returns the object's controller, if it is of this kind. */
  ownerOf(object: KubernetesObject): T | undefined {
    const controller = getControllerOfNoCopy(object);
    if (controller?.kind !== this.#kind) return undefined;
    const owner = this.#owners.indexer.getByKey(`${object.metadata?.namespace}/${controller.name}`);
    return owner?.metadata?.uid === controller.uid ? owner : undefined;
  }

  /** Returns the owners that would adopt the object if it had no controller. */
  adoptersOf(object: KubernetesObject): T[] {
    const owners = this.#owners.indexer.byIndex(NAMESPACE_INDEX, object.metadata?.namespace ?? '');
    return owners.filter((owner) => !this.selectorOf(owner).isEmpty() && this.matches(owner, object));
  }

  /** Whether the owner's selector matches the object's labels. */
  matches(owner: T, object: KubernetesObject): boolean {
    return this.selectorOf(owner).matches(object.metadata?.labels);
  }

  selectorOf(owner: T): Selector {
    let selector = this.#selectors.get(owner);
    if (!selector) {
      selector = this.#compile(owner);
      this.#selectors.set(owner, selector);
    }
    return selector;
  }

  #compile(owner: T): Selector {
    try {
      return this.#selectorOf(owner);
    } catch {
      return Selector.nothing;
    }
  }
}
