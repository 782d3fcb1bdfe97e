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

/** `status`: what the one who acts on an object reports. Only the status is changed, and by `update` all but the status. */
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

/** `scale`: how many replicas there are and shall be, in the same form whatever the resource. */
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

/** `ephemeralcontainers`: containers added to a pod that runs already. */
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

/** `resize`: resources of containers, changed while they run. */
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

/** `approval`: the conditions that approve or deny a request. */
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

/** `eviction`: a deletion that disruption budgets may refuse, with 429. */
export interface EvictionMethods {
  evict(name: string, eviction?: Partial<Eviction>, options?: Options<CreateOptions>): Promise<Status>;
}

/** `binding`: puts a pod on a node. */
export interface BindingMethods {
  bind(name: string, binding: WithoutMetadata<Binding>, options?: Options<CreateOptions>): Promise<Status>;
}

/** `token`: a token of a service account, in the answer's status. */
export interface TokenMethods {
  createToken(
    name: string,
    request?: WithoutMetadata<TokenRequest>,
    options?: Options<CreateOptions>,
  ): Promise<Answered<TokenRequest>>;
}

/** `finalize`: changes `spec.finalizers`, which `update` leaves alone. */
export interface FinalizeMethods {
  finalize(namespace: Namespace, options?: Options<UpdateOptions>): Promise<Namespace>;
}

/** `log`: what a container wrote, as bytes. `remote/` makes lines of it, and goes on where a connection broke. */
export interface LogMethods {
  /** Resolves once the server has found it; with `follow` the body ends when the container does, or is cancelled. */
  getLogs(name: string, options?: Options<Omit<PodLogOptions, 'kind' | 'apiVersion'>>): Promise<ResponseBody>;
}

/** `proxy`: HTTP requests to what runs behind a pod, service or node, through the API server. */
export interface ProxyMethods {
  /** `path` is not encoded yet. Rejects with an ApiError when the answer is not of the 2xx. */
  proxy(name: string, path?: string, options?: ProxyOptions): Promise<ResponseBody>;
}

export interface ProxyOptions extends CallOptions {
  /** GET when not given. */
  readonly method?: string;
  /** Without: http. */
  readonly scheme?: 'http' | 'https';
  /** Number or name. Without: the only one, or the first. */
  readonly port?: number | string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes as they are, anything else as JSON. */
  readonly body?: unknown;
}
