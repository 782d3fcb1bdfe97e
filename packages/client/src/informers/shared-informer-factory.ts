import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ClientSet } from '../kubernetes/client-set.ts';
import type { ResourceDescription } from '../rest/resource.ts';
import type { Watch } from '../watch/watch.ts';
import { InformerSet, type InformerWithLister, type SharedInformerFactoryOptions } from './informer-set.ts';
import type { ListerWatcher } from './lister-watcher.ts';

/** The objects of a ClientSet's resource, if it can be watched over all namespaces. */
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

/** As a ClientSet has clients by group, version and resource: informers with their listers. */
export type InformerGroups<Clients> = {
  readonly [G in Exclude<keyof Clients, 'rest'>]: { readonly [V in keyof Clients[G]]: Informers<Clients[G][V]> };
};

/** A client that says what it is for, such as `customResource` makes. */
type DescribedClient<T extends KubernetesObject> = ListerWatcher<T> & { readonly resource: ResourceDescription };

class LazyInformerGroups extends InformerSet {
  constructor(clients: object, options?: SharedInformerFactoryOptions) {
    super(options);
    for (const group of gettersOf(clients)) {
      lazily(this, group, () => mapped(part(clients, group), (version) => this.#informersOf(version)));
    }
  }

  /**
   * The informer of any other resource by a client for it, in all namespaces or in the factory's. Who asks again for the
   * resource gets the same, whatever the client.
   */
  forResource<T extends KubernetesObject>(client: DescribedClient<T>): InformerWithLister<T> {
    return this.member(client.resource, () => client);
  }

  #informersOf(groupVersion: object): object {
    return mapped(groupVersion, (client) => {
      if (typeof client !== 'function') throw new Error('the client set has something that is no resource');
      const described: DescribedClient<KubernetesObject> = client(this.namespace);
      // Generated listers have the kind in the message, others the resource; people search for both: `pod "web" not found`.
      return this.member(described.resource, () => described, described.resource.kind.toLowerCase());
    });
  }
}

/**
 * One informer for every resource that somebody asks for, by the names of the ClientSet:
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
export class SharedInformerFactory // It has a property for each group of the ClientSet, made above.
  extends (LazyInformerGroups as new (
    clients: ClientSet,
    options?: SharedInformerFactoryOptions,
  ) => LazyInformerGroups & InformerGroups<ClientSet>) {}

/** The names of all getters of the object's classes. */
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

/** An object with the same properties, each made out of the other's when it is first asked for. */
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
