import { newNotFound } from '@coxswain/apimachinery/errors';
import { parse, type Selector } from '@coxswain/apimachinery/labels';
import { GroupResource, type KubernetesObject, type MetaGroupResource } from '@coxswain/apimachinery/meta';
import { type Indexer, NAMESPACE_INDEX } from './indexer.ts';

/** Which objects by their labels: `app=web,tier in (a, b)`, or a selector made before. Without: all. */
export type ListerSelector = string | Selector;

/** Reads a cache as one would the server, by names, namespaces and labels. What it gives is shared: do not change it. */
export class Lister<T extends KubernetesObject> {
  readonly #indexer: Indexer<T>;
  readonly #resource: GroupResource;

  /** `resource` is for messages. */
  constructor(indexer: Indexer<T>, { group, resource }: MetaGroupResource) {
    this.#indexer = indexer;
    this.#resource = GroupResource.of(group, resource);
  }

  /** Throws when the selector is not valid. */
  list(selector?: ListerSelector): T[] {
    return selected(this.#indexer.values(), selector);
  }

  /** An object without a namespace. Throws a NotFound `ApiError` when the cache does not have it. */
  get(name: string): T {
    return found(this.#indexer.getByKey(name), this.#resource, name);
  }

  /** The objects of one namespace. */
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
  /** Throws a NotFound `ApiError` when the cache does not have it. */
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
