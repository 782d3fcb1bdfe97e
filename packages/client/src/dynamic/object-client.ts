import {
  type CreateOptions,
  type DeleteOptions,
  type GetOptions,
  type KubernetesList,
  type KubernetesObject,
  type ListOptions,
  NAMESPACE_DEFAULT,
  type PatchOptions,
  type Status,
  type UpdateOptions,
} from '@coxswain/apimachinery/meta';
import type { DeferredRESTMapper } from '../discovery/deferred-rest-mapper.ts';
import type { CallOptions } from '../rest/call-options.ts';
import type { ApplyCallOptions, PatchBodies, PatchType } from '../rest/resource-interface.ts';
import type { RESTClient, RestRequest } from '../rest/rest-client.ts';
import type { Watch } from '../watch/watch.ts';
import { describeKind, mapperFor } from './describe-kind.ts';
import type { DynamicClientOptions } from './dynamic-client.ts';
import { deleteCall, type ResourceCall, resourceRequest } from './resource-request.ts';

/** Identifies an object by kind, name and namespace. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Identifies all objects of a kind; in all namespaces when none is given. */
export interface KindReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
}

/**
 * Reads and writes objects of any kind, for example those of a manifest. The resource of an object is found from its
 * apiVersion and kind by discovery. A namespaced object without a namespace is in the client's default namespace.
 * Every call rejects with NoKindMatchError when the server does not have the kind.
 *
 * ```ts
 * for (const object of manifest) await objects.apply(object, { fieldManager: 'installer' });
 * ```
 */
export class ObjectClient {
  readonly #rest: RESTClient;
  readonly #mapper: DeferredRESTMapper;
  readonly #defaultNamespace: string;

  constructor(rest: RESTClient, { mapper, defaultNamespace = NAMESPACE_DEFAULT }: DynamicClientOptions = {}) {
    this.#rest = rest;
    this.#mapper = mapper ?? mapperFor(rest);
    this.#defaultNamespace = defaultNamespace;
  }

  get<T extends KubernetesObject>(reference: ObjectReference, options: GetOptions & CallOptions = {}): Promise<T> {
    return this.#send('GET', reference, { name: reference.metadata.name, options });
  }

  list<T extends KubernetesObject>(
    reference: KindReference,
    options: ListOptions & CallOptions = {},
  ): Promise<KubernetesList<T>> {
    return this.#send('GET', reference, { options });
  }

  /** Resolves when the server has accepted the watch. */
  async watch<T extends KubernetesObject>(
    reference: KindReference,
    options: ListOptions & CallOptions = {},
  ): Promise<Watch<T>> {
    return this.#rest.watch(await this.#request('GET', reference, { options: { ...options, watch: true } }));
  }

  create<T extends KubernetesObject>(object: T, options: CreateOptions & CallOptions = {}): Promise<T> {
    return this.#send('POST', object, { options, body: object });
  }

  update<T extends KubernetesObject>(object: T, options: UpdateOptions & CallOptions = {}): Promise<T> {
    return this.#send('PUT', object, { name: object.metadata?.name ?? '', options, body: object });
  }

  patch<T extends KubernetesObject, P extends PatchType = 'merge'>(
    reference: ObjectReference,
    type: P,
    patch: PatchBodies<T>[P],
    options: PatchOptions & CallOptions = {},
  ): Promise<T> {
    const headers = { 'content-type': `application/${type}-patch+json` };
    return this.#send('PATCH', reference, { name: reference.metadata.name, options, headers, body: patch });
  }

  /** Server-side apply: creates the object or sets these fields. */
  apply<T extends KubernetesObject>(object: T, { subresource, ...options }: ApplyCallOptions): Promise<T> {
    return this.#send('PATCH', object, {
      name: object.metadata?.name ?? '',
      ...(subresource !== undefined && { subresources: [subresource] }),
      options,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: object,
    });
  }

  /**
   * Returns the object when it is only marked for deletion (finalizers, grace period), and a Status when it has been
   * deleted.
   */
  delete<T extends KubernetesObject>(
    reference: ObjectReference,
    options: DeleteOptions & CallOptions = {},
  ): Promise<T | Status> {
    return this.#send('DELETE', reference, { name: reference.metadata.name, ...deleteCall(options) });
  }

  async #send<T>(method: string, of: Subject, call: Call): Promise<T> {
    return this.#rest.request(await this.#request(method, of, call));
  }

  async #request(method: string, of: Subject, call: Call): Promise<RestRequest> {
    const resource = await describeKind(this.#mapper, of, call.options);
    return resourceRequest(method, { ...call, resource, namespace: this.#namespaceOf(of, resource.namespaced) });
  }

  #namespaceOf(of: Subject, namespaced: boolean): string | undefined {
    if (!namespaced) return undefined;
    return 'metadata' in of ? of.metadata?.namespace || this.#defaultNamespace : of.namespace;
  }
}

type Call = Omit<ResourceCall, 'resource' | 'namespace'>;

/** Identifies an object, or all objects of a kind. */
interface Subject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly namespace?: string };
  readonly namespace?: string;
}
