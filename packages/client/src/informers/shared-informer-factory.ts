import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ClientSet } from '../kubernetes/client-set.ts';
import type { ResourceDescription } from '../rest/resource.ts';
import type { Watch } from '../watch/watch.ts';
import { InformerSet, type InformerWithLister, type SharedInformerFactoryOptions } from './informer-set.ts';
import type { ListerWatcher } from './lister-watcher.ts';

/** The object type of a ClientSet's resource, if it can be watched in all namespaces. */
type Watched<Resource> = Resource extends (namespace?: string) => { watch(): Promise<Watch<infer T>> }
  ? T extends KubernetesObject
    ? T
    : never
  : never;

type Informers<GroupVersion> = {
  readonly [R in keyof GroupVersion as [Watched<GroupVersion[R]>] extends [never] ? never : R]: InformerWithLister<
    Watched<GroupVersion[R]>
  >;
};

/** Informers with their listers by group, version and resource, like the clients of a ClientSet. */
export type InformerGroups<Clients> = {
  readonly [G in Exclude<keyof Clients, 'rest'>]: { readonly [V in keyof Clients[G]]: Informers<Clients[G][V]> };
};

/** A client with a resource description, such as those of `customResource`. */
type DescribedClient<T extends KubernetesObject> = ListerWatcher<T> & { readonly resource: ResourceDescription };

class LazyInformerGroups extends InformerSet {
  constructor(clients: object, options?: SharedInformerFactoryOptions) {
    super(options);
    for (const group of gettersOf(clients)) {
      lazily(this, group, () => mapped(part(clients, group), (version) => this.#informersOf(version)));
    }
  }

  /**
   * Returns the informer of any other resource, with a client for all namespaces or for the factory's. Further calls
   * for the resource return the same informer, even with another client.
   */
  forResource<T extends KubernetesObject>(client: DescribedClient<T>): InformerWithLister<T> {
    return this.member(client.resource, () => client);
  }

  #informersOf(groupVersion: object): object {
    return mapped(groupVersion, (client) => {
      if (typeof client !== 'function') throw new Error('the client set has a member that is not a resource');
      const described: DescribedClient<KubernetesObject> = client(this.namespace);
      // As in client-go, typed listers name the kind in errors, others the resource: `pod "web" not found`.
      return this.member(described.resource, () => described, described.resource.kind.toLowerCase());
    });
  }
}

/**
 * Makes and shares one informer for each resource, by the names of the ClientSet:
 *
 * ```ts
 * const factory = new SharedInformerFactory(clients, { transform: stripManagedFields });
 * const { informer, lister } = factory.core.v1.pods;
 * informer.addEventHandler({ onAdd: (pod) => … });
 * factory.start(signal);
 * await factory.waitForCacheSync(signal);
 * lister.namespace('default').get('web-0');
 * ```
 */
export class SharedInformerFactory // It has a property for each group of the ClientSet, defined by the base class.
  extends (LazyInformerGroups as new (
    clients: ClientSet,
    options?: SharedInformerFactoryOptions,
  ) => LazyInformerGroups & InformerGroups<ClientSet>) {}

/** The names of all getters of the object's class and its base classes. */
function gettersOf(object: object): string[] {
  const names = new Set<string>();
  for (let proto = Object.getPrototypeOf(object); proto && proto !== Object.prototype; ) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(proto))) if (get) names.add(name);
    proto = Object.getPrototypeOf(proto);
  }
  return [...names];
}

function part(object: object, name: string): object {
  const value: unknown = Reflect.get(object, name);
  if (typeof value !== 'object' || value === null) throw new Error(`the client set has no group ${name}`);
  return value;
}

/** Returns an object with the same properties, whose values are made from the original ones on first access. */
function mapped(object: object, make: (value: object) => object): object {
  const result = {};
  for (const name of Object.keys(object)) lazily(result, name, () => make(Reflect.get(object, name)));
  return result;
}

function lazily(object: object, name: string, make: () => object): void {
  const get = (): object => {
    const value = make();
    Object.defineProperty(object, name, { value, enumerable: true });
    return value;
  };
  Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
}
