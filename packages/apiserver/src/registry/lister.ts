import type { KubernetesObject } from '@coxswain/apimachinery';

/**
 * The current objects of one resource, decoded into their hub version and kept current by the watch cache. Authorizers,
 * admission and allocators read from it instead of the store. Objects are shared and must not be modified.
 */
export interface Lister<T extends KubernetesObject = KubernetesObject> {
  /** Resolves when the lister has all objects that were stored at the start. */
  readonly synced: Promise<void>;
  /** Returns the object or undefined. The namespace is empty for cluster-scoped resources. */
  get(namespace: string, name: string): T | undefined;
  /** Returns all objects, or those of a namespace, in order of their keys. */
  list(namespace?: string): T[];
  /**
   * Calls back for every change, after it is visible in the lister. `object` is undefined for a deletion, `old` for a new object.
   * There are no calls for objects that exist already. Returns a function that removes the callback.
   */
  onChange(callback: (object: T | undefined, old: T | undefined) => void): () => void;
}

/** Returns the lister of a resource, which all callers share. */
export interface Listers {
  lister<T extends KubernetesObject>(group: string, resource: string): Lister<T>;
}

/** Options of writes by the server itself. */
export interface InternalWrite {
  /** Such as `status`. Undefined for the object itself. */
  readonly subresource?: string;
  /** The manager in managedFields; `kube-apiserver` by default. */
  readonly manager?: string;
  /** Leaves managedFields unchanged, for writes that upstream does not make through its API. */
  readonly untracked?: boolean;
}

/**
 * Reads and writes of the server itself: with the same strategy, validation, managedFields and store as requests of clients, but
 * without authorization and admission. Objects are in their hub version. Throws the ApiErrors that clients would get.
 */
export interface InternalClient {
  get<T extends KubernetesObject>(group: string, resource: string, namespace: string, name: string): Promise<T>;
  create<T extends KubernetesObject>(group: string, resource: string, object: T, write?: InternalWrite): Promise<T>;
  /** Updates an object. Its resourceVersion, if set, is a precondition. */
  update<T extends KubernetesObject>(group: string, resource: string, object: T, write?: InternalWrite): Promise<T>;
  delete(
    group: string,
    resource: string,
    namespace: string,
    name: string,
    preconditions?: { uid?: string; resourceVersion?: string },
  ): Promise<void>;
}

/** Server-side apply with `force` by the server itself. Throws NotFound when the object does not exist. */
export interface InternalApplier {
  apply<T extends KubernetesObject>(
    group: string,
    resource: string,
    configuration: T,
    write: InternalWrite,
  ): Promise<T>;
}
