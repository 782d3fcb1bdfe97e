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

/**
 * How a patch is to be read, by the end of its media type: `application/json-patch+json` …
 * What the patch may be follows from it.
 */
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

/** Null takes a field away. */
export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> | null }
    : T;

/** Lists may hold parts of elements, and directives (`$patch: 'delete'`) beside what tells which element. */
export type StrategicMergePatch<T> = T extends readonly (infer E)[]
  ? readonly StrategicMergePatch<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: StrategicMergePatch<T[K]> | null } & { readonly $patch?: string }
    : T;

export interface ApplyCallOptions extends CallOptions {
  /** Who applies; owns the fields it names. */
  readonly fieldManager: string;
  /** Take over fields that others own, instead of a conflict. */
  readonly force?: boolean;
  readonly dryRun?: string[];
  readonly fieldValidation?: PatchOptions['fieldValidation'];
  readonly subresource?: string;
}

/**
 * All verbs on one resource, in one namespace or in none. Every call rejects with an `ApiError` when the server refuses,
 * with a `TransportError` when there is no answer, and with the signal's reason when that is aborted.
 *
 * Typed clients, the dynamic client, fakes: all are of this form, so that informers and controllers take any of them.
 */
export interface ResourceInterface<T extends KubernetesObject> {
  readonly resource: ResourceDescription;
  /** Undefined for cluster-scoped resources and for all namespaces. */
  readonly namespace: string | undefined;

  get(name: string, options?: GetOptions & CallOptions): Promise<T>;
  list(options?: ListOptions & CallOptions): Promise<KubernetesList<T>>;
  /** Resolves once the server has accepted it. */
  watch(options?: ListOptions & CallOptions): Promise<Watch<T>>;
  create(object: T, options?: CreateOptions & CallOptions): Promise<T>;
  /** Replaces the object of that name; with its resourceVersion only if nobody else did meanwhile. */
  update(object: T, options?: UpdateOptions & CallOptions): Promise<T>;
  updateStatus(object: T, options?: UpdateOptions & CallOptions): Promise<T>;
  patch<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<T>[P],
    options?: PatchOptions & CallOptions & { readonly subresource?: string },
  ): Promise<T>;
  /** Server-side apply: the object has these fields afterwards, and they are ours. */
  apply(configuration: ApplyConfiguration<T>, options: ApplyCallOptions): Promise<T>;
  /** Answers the object when it only begins to go (finalizers, grace), a Status when it is gone. */
  delete(name: string, options?: DeleteOptions & CallOptions): Promise<T | Status>;
  deleteCollection(options?: DeleteOptions & CallOptions, which?: ListOptions): Promise<KubernetesList<T> | Status>;
  /** For who has no use for answers: they are let go of unread. */
  withoutAnswers(): WithoutAnswers<T>;
}

/** Writes that resolve with nothing, when the server has done what they ask for. */
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
