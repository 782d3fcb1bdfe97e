import type { KubernetesObject } from '@coxswain/apimachinery';

/**
 * The objects of one resource as they are now, decoded into their hub version and kept current by the watch cache:
 * what parts of the server itself read (authorizers, admission, allocators). Never ask the store for what is here.
 * Objects are shared: nobody may change them.
 */
export interface Lister<T extends KubernetesObject = KubernetesObject> {
  /** Resolves when everything that was stored at the start is here. */
  readonly synced: Promise<void>;
  /** Namespace is empty for what has none. */
  get(namespace: string, name: string): T | undefined;
  /** All, or those of a namespace, in order of their keys. */
  list(namespace?: string): T[];
  /**
   * Tells of every change, after it is visible here: `object` absent for a deletion, `old` absent for what is new.
   * Objects that are already there when it is called are not told of. Gives the way to stop.
   */
  onChange(callback: (object: T | undefined, old: T | undefined) => void): () => void;
}

/** Gives the lister of a resource, the same one to everybody who asks. */
export interface Listers {
  lister<T extends KubernetesObject>(group: string, resource: string): Lister<T>;
}

/** How the server itself writes. */
export interface InternalWrite {
  /** `status` … Absent: the object as such. */
  readonly subresource?: string;
  /** As managedFields have it: by default `kube-apiserver`. */
  readonly manager?: string;
  /** managedFields stay as they are, as for writes that upstream does not make through its API. */
  readonly untracked?: boolean;
}

/**
 * Writes as the server itself: through the same strategy, validation, managedFields and store as a client's request, but with nobody
 * to authorize, and without admission. Objects are in their hub version. Errors are the ApiErrors a client would get.
 */
export interface InternalClient {
  get<T extends KubernetesObject>(group: string, resource: string, namespace: string, name: string): Promise<T>;
  create<T extends KubernetesObject>(group: string, resource: string, object: T, write?: InternalWrite): Promise<T>;
  /** With the object's resourceVersion as precondition, when it has one. */
  update<T extends KubernetesObject>(group: string, resource: string, object: T, write?: InternalWrite): Promise<T>;
  delete(
    group: string,
    resource: string,
    namespace: string,
    name: string,
    preconditions?: { uid?: string; resourceVersion?: string },
  ): Promise<void>;
}

/** The same for server-side apply, by force, to an object that is there. */
export interface InternalApplier {
  apply<T extends KubernetesObject>(
    group: string,
    resource: string,
    configuration: T,
    write: InternalWrite,
  ): Promise<T>;
}
