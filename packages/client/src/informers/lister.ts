import { newNotFound } from '@coxswain/apimachinery/errors';
import { parse, type Selector } from '@coxswain/apimachinery/labels';
import { GroupResource, type KubernetesObject, type MetaGroupResource } from '@coxswain/apimachinery/meta';
import { type Indexer, NAMESPACE_INDEX } from './indexer.ts';

/** A label selector: `app=web,tier in (a, b)`, or a parsed Selector. Without one, all objects match. */
export type ListerSelector = string | Selector;

/** Reads a cache by name, namespace and labels. Objects are shared with the cache: do not modify them. */
export class Lister<T extends KubernetesObject> {
  readonly #indexer: Indexer<T>;
  readonly #resource: GroupResource;

  /** `resource` is used in error messages. */
  constructor(indexer: Indexer<T>, { group, resource }: MetaGroupResource) {
    this.#indexer = indexer;
    this.#resource = GroupResource.of(group, resource);
  }

  /** Throws when the selector is not valid. */
  list(selector?: ListerSelector): T[] {
    return selected(this.#indexer.values(), selector);
  }

  /** Returns a cluster-scoped object. Throws a NotFound `ApiError` when it is not in the cache. */
  get(name: string): T {
    return found(this.#indexer.getByKey(name), this.#resource, name);
  }

  /** Returns a lister for one namespace. */
  namespace(namespace: string): NamespaceLister<T> {
    return {
      list: (selector) => selected(this.#indexer.byIndex(NAMESPACE_INDEX, namespace), selector),
      get: (name) => found(this.#indexer.getByKey(`${namespace}/${name}`), this.#resource, name),
    };
  }
}

export interface NamespaceLister<T> {
  /** Throws when the selector is not valid. */
  list(selector?: ListerSelector): T[];
  /** Throws a NotFound `ApiError` when the object is not in the cache. */
  get(name: string): T;
}

function selected<T extends KubernetesObject>(objects: Iterable<T>, selector: ListerSelector | undefined): T[] {
  const parsed = typeof selector === 'string' ? parse(selector) : selector;
  if (parsed === undefined || parsed.isEmpty()) return [...objects];
  const matching: T[] = [];
  for (const object of objects) if (parsed.matches(object.metadata?.labels)) matching.push(object);
  return matching;
}

function found<T>(object: T | undefined, resource: GroupResource, name: string): T {
  if (object === undefined) throw newNotFound(resource, name);
  return object;
}
