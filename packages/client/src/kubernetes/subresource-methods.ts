import type { TokenRequest } from '@coxswain/api/authentication/v1';
import type { Scale } from '@coxswain/api/autoscaling/v1';
import type { Binding, Namespace, PodLogOptions } from '@coxswain/api/core/v1';
import type { Eviction } from '@coxswain/api/policy/v1';
import type {
  CreateOptions,
  GetOptions,
  KubernetesObject,
  PatchOptions,
  Status,
  UpdateOptions,
} from '@coxswain/apimachinery/meta';
import type {
  ApplyCallOptions,
  ApplyConfiguration,
  ApplyFields,
  CallOptions,
  PatchBodies,
  PatchType,
  ResourceInterface,
} from '../rest/index.ts';
import type { ResponseBody } from '../transport/transport.ts';
import type { Answered, WithoutMetadata } from './resource-methods.ts';

type Options<O> = O & CallOptions;
type ApplySubresourceOptions = Omit<ApplyCallOptions, 'subresource'>;

/** `status`: changes only the status of an object; `update` changes everything else. */
export interface StatusMethods<T extends KubernetesObject> extends Pick<ResourceInterface<T>, 'updateStatus'> {
  getStatus(name: string, options?: Options<GetOptions>): Promise<T>;
  patchStatus<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<T>[P],
    options?: Options<PatchOptions>,
  ): Promise<T>;
  applyStatus(configuration: ApplyConfiguration<T>, options: ApplySubresourceOptions): Promise<T>;
}

/** `scale`: the desired and current number of replicas, with one kind for all resources. */
export interface ScaleMethods {
  getScale(name: string, options?: Options<GetOptions>): Promise<Scale>;
  updateScale(name: string, scale: Scale, options?: Options<UpdateOptions>): Promise<Scale>;
  patchScale<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<Scale>[P],
    options?: Options<PatchOptions>,
  ): Promise<Scale>;
  applyScale(name: string, scale: ApplyFields<Scale>, options: ApplySubresourceOptions): Promise<Scale>;
}

/** `ephemeralcontainers`: adds containers to a running pod. */
export interface EphemeralContainersMethods<T extends KubernetesObject> {
  getEphemeralContainers(name: string, options?: Options<GetOptions>): Promise<T>;
  updateEphemeralContainers(name: string, object: T, options?: Options<UpdateOptions>): Promise<T>;
  patchEphemeralContainers<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<T>[P],
    options?: Options<PatchOptions>,
  ): Promise<T>;
  applyEphemeralContainers(name: string, object: ApplyFields<T>, options: ApplySubresourceOptions): Promise<T>;
}

/** `resize`: changes the resources of running containers. */
export interface ResizeMethods<T extends KubernetesObject> {
  getResize(name: string, options?: Options<GetOptions>): Promise<T>;
  updateResize(name: string, object: T, options?: Options<UpdateOptions>): Promise<T>;
  patchResize<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<T>[P],
    options?: Options<PatchOptions>,
  ): Promise<T>;
  applyResize(name: string, object: ApplyFields<T>, options: ApplySubresourceOptions): Promise<T>;
}

/** `approval`: sets the conditions that approve or deny a CertificateSigningRequest. */
export interface ApprovalMethods<T extends KubernetesObject> {
  getApproval(name: string, options?: Options<GetOptions>): Promise<T>;
  updateApproval(name: string, object: T, options?: Options<UpdateOptions>): Promise<T>;
  patchApproval<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<T>[P],
    options?: Options<PatchOptions>,
  ): Promise<T>;
  applyApproval(name: string, object: ApplyFields<T>, options: ApplySubresourceOptions): Promise<T>;
}

/** `eviction`: a deletion that PodDisruptionBudgets may reject with 429. */
export interface EvictionMethods {
  evict(name: string, eviction?: Partial<Eviction>, options?: Options<CreateOptions>): Promise<Status>;
}

/** `binding`: puts a pod on a node. */
export interface BindingMethods {
  bind(name: string, binding: WithoutMetadata<Binding>, options?: Options<CreateOptions>): Promise<Status>;
}

/** `token`: requests a token for a service account; it is in the response's status. */
export interface TokenMethods {
  createToken(
    name: string,
    request?: WithoutMetadata<TokenRequest>,
    options?: Options<CreateOptions>,
  ): Promise<Answered<TokenRequest>>;
}

/** `finalize`: changes `spec.finalizers`, which `update` does not. */
export interface FinalizeMethods {
  finalize(namespace: Namespace, options?: Options<UpdateOptions>): Promise<Namespace>;
}

/** `log`: the output of a container as bytes. `remote/` splits it into lines and resumes after a broken connection. */
export interface LogMethods {
  /**
   * Resolves when the response begins. With `follow`, the body ends when the container does, or when it is cancelled.
   */
  getLogs(name: string, options?: Options<Omit<PodLogOptions, 'kind' | 'apiVersion'>>): Promise<ResponseBody>;
}

/** `proxy`: sends HTTP requests to a pod, service or node through the API server. */
export interface ProxyMethods {
  /** `path` is not percent-encoded. Rejects with an ApiError when the response's status is not 2xx. */
  proxy(name: string, path?: string, options?: ProxyOptions): Promise<ResponseBody>;
}

export interface ProxyOptions extends CallOptions {
  /** Default: GET. */
  readonly method?: string;
  /** Default: http. */
  readonly scheme?: 'http' | 'https';
  /** Number or name. Default: the only or first port. */
  readonly port?: number | string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}
