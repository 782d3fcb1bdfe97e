import type {
  CreateOptions,
  DeleteOptions,
  GetOptions,
  KubernetesList,
  KubernetesObject,
  ListOptions,
  PatchOptions,
  Status,
  UpdateOptions,
} from '@coxswain/apimachinery/meta';
import type { Watch } from '../watch/watch.ts';
import type { ApplyConfiguration } from './apply-configuration.ts';
import type { CallOptions } from './call-options.ts';
import type { ResourceDescription } from './resource.ts';

/** Patch types, named after their media type (`application/json-patch+json`, …), with the type of the patch. */
export interface PatchBodies<T> {
  json: readonly JsonPatchOperation[];
  merge: DeepPartial<T>;
  'strategic-merge': StrategicMergePatch<T>;
}
export type PatchType = keyof PatchBodies<unknown>;

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Null removes a field. */
export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> | null }
    : T;

/** Lists may contain partial elements, and directives (`$patch: 'delete'`) next to an element's merge key. */
export type StrategicMergePatch<T> = T extends readonly (infer E)[]
  ? readonly StrategicMergePatch<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: StrategicMergePatch<T[K]> | null } & { readonly $patch?: string }
    : T;

export interface ApplyCallOptions extends CallOptions {
  /** The name of the field manager, which will own the applied fields. */
  readonly fieldManager: string;
  /** Take over fields that other managers own, instead of a conflict. */
  readonly force?: boolean;
  readonly dryRun?: string[];
  readonly fieldValidation?: PatchOptions['fieldValidation'];
  readonly subresource?: string;
}

/**
 * All verbs on one resource, in one namespace or without. Every call rejects with an `ApiError` when the server rejects
 * the request, with a `TransportError` when there is no response, and with the signal's reason on abort.
 *
 * Typed clients, the dynamic client and fakes implement this interface, so informers and controllers accept any of
 * them.
 */
export interface ResourceInterface<T extends KubernetesObject> {
  readonly resource: ResourceDescription;
  /** Undefined for cluster-scoped resources and for all namespaces. */
  readonly namespace: string | undefined;

  get(name: string, options?: GetOptions & CallOptions): Promise<T>;
  list(options?: ListOptions & CallOptions): Promise<KubernetesList<T>>;
  /** Resolves when the server has accepted the watch. */
  watch(options?: ListOptions & CallOptions): Promise<Watch<T>>;
  create(object: T, options?: CreateOptions & CallOptions): Promise<T>;
  /** Replaces the object. With a resourceVersion, only if the object has not been changed since. */
  update(object: T, options?: UpdateOptions & CallOptions): Promise<T>;
  updateStatus(object: T, options?: UpdateOptions & CallOptions): Promise<T>;
  patch<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<T>[P],
    options?: PatchOptions & CallOptions & { readonly subresource?: string },
  ): Promise<T>;
  /** Server-side apply: sets these fields and takes ownership of them. */
  apply(configuration: ApplyConfiguration<T>, options: ApplyCallOptions): Promise<T>;
  /**
   * Returns the object when it is only marked for deletion (finalizers, grace period), and a Status when it has been
   * deleted.
   */
  delete(name: string, options?: DeleteOptions & CallOptions): Promise<T | Status>;
  deleteCollection(options?: DeleteOptions & CallOptions, which?: ListOptions): Promise<KubernetesList<T> | Status>;
  /** Returns a client that does not read the responses to writes, for callers that do not use them. */
  withoutAnswers(): WithoutAnswers<T>;
}

/** Writes that resolve with undefined when the server has performed them. */
export interface WithoutAnswers<T extends KubernetesObject> {
  create(object: T, options?: CreateOptions & CallOptions): Promise<void>;
  update(object: T, options?: UpdateOptions & CallOptions): Promise<void>;
  patch<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<T>[P],
    options?: PatchOptions & CallOptions & { readonly subresource?: string },
  ): Promise<void>;
  delete(name: string, options?: DeleteOptions & CallOptions): Promise<void>;
}
