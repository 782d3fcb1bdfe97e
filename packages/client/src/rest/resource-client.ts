import {
  type CreateOptions,
  type DeleteOptions,
  type GetOptions,
  type KubernetesList,
  type KubernetesObject,
  type ListOptions,
  type PatchOptions,
  resourcePath,
  type Status,
  type UpdateOptions,
} from '@coxswain/apimachinery/meta';
import type { Watch } from '../watch/watch.ts';
import type { ApplyConfiguration } from './apply-configuration.ts';
import type { CallOptions } from './call-options.ts';
import type { ResourceDescription } from './resource.ts';
import type {
  ApplyCallOptions,
  PatchBodies,
  PatchType,
  ResourceInterface,
  WithoutAnswers,
} from './resource-interface.ts';
import { namesOf } from './resource-names.ts';
import type { RESTClient } from './rest-client.ts';
import type { RestRequest } from './rest-request.ts';

/** The headers of such a request. Frozen, so that transports can cache them by identity. */
const headersOf = (contentType: string) => Object.freeze({ accept: 'application/json', 'content-type': contentType });
const patchHeaders: Record<PatchType, ReturnType<typeof headersOf>> = {
  json: headersOf('application/json-patch+json'),
  merge: headersOf('application/merge-patch+json'),
  'strategic-merge': headersOf('application/strategic-merge-patch+json'),
};
const applyHeaders = headersOf('application/apply-patch+yaml');

/** The methods of a RESTClient that a ResourceClient needs. */
type Requests = Pick<RESTClient, 'request' | 'watch' | 'discard'>;

/** Implements all verbs on one resource with a RESTClient. */
export class ResourceClient<T extends KubernetesObject> implements ResourceInterface<T> {
  readonly resource: ResourceDescription;
  readonly namespace: string | undefined;
  readonly #rest: Requests;
  #withoutAnswers: WithoutAnswers<T> | undefined;

  constructor(rest: Requests, resource: ResourceDescription, namespace?: string) {
    this.#rest = rest;
    this.resource = resource;
    this.namespace = namespace;
  }

  async get(name: string, options: GetOptions & CallOptions = {}): Promise<T> {
    return await this.#rest.request(this.#object('GET', { name, options }));
  }

  async list(options: ListOptions & CallOptions = {}): Promise<KubernetesList<T>> {
    return await this.#rest.request(this.#of('GET', { options }));
  }

  async watch(options: ListOptions & CallOptions = {}): Promise<Watch<T>> {
    return await this.#rest.watch(this.#of('GET', { options: { ...options, watch: true } }));
  }

  async create(object: T, options: CreateOptions & CallOptions = {}): Promise<T> {
    return await this.#rest.request(this.#of('POST', { options, body: this.#typed(object) }));
  }

  async update(object: T, options: UpdateOptions & CallOptions = {}): Promise<T> {
    return await this.#rest.request(this.#object('PUT', { name: nameOf(object), options, body: this.#typed(object) }));
  }

  async updateStatus(object: T, options: UpdateOptions & CallOptions = {}): Promise<T> {
    const subresource = 'status';
    return await this.#rest.request(
      this.#object('PUT', { name: nameOf(object), subresource, options, body: this.#typed(object) }),
    );
  }

  async patch<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<T>[P],
    { subresource, ...options }: PatchOptions & CallOptions & { readonly subresource?: string } = {},
  ): Promise<T> {
    const headers = patchHeaders[type];
    return await this.#rest.request(this.#object('PATCH', { name, subresource, options, body: patch, headers }));
  }

  async apply(configuration: ApplyConfiguration<T>, { subresource, ...options }: ApplyCallOptions): Promise<T> {
    const { name } = configuration.metadata;
    const body = this.#typed(configuration);
    const headers = applyHeaders;
    return await this.#rest.request(this.#object('PATCH', { name, subresource, options, body, headers }));
  }

  async delete(name: string, { signal, timeoutMs, ...body }: DeleteOptions & CallOptions = {}): Promise<T | Status> {
    return await this.#rest.request(
      this.#object('DELETE', { name, options: { signal, timeoutMs }, body: deleteBody(body) }),
    );
  }

  async deleteCollection(
    { signal, timeoutMs, ...body }: DeleteOptions & CallOptions = {},
    which: ListOptions = {},
  ): Promise<KubernetesList<T> | Status> {
    return await this.#rest.request(
      this.#of('DELETE', { options: { ...which, signal, timeoutMs }, body: deleteBody(body) }),
    );
  }

  withoutAnswers(): WithoutAnswers<T> {
    this.#withoutAnswers ??= new ResourceClient<T>(
      new Discarding(this.#rest),
      this.resource,
      this.namespace,
    ) as unknown as WithoutAnswers<T>;
    return this.#withoutAnswers;
  }

  /**
   * A request for one object. Rejects an empty name, because the request would address the whole collection, and could
   * delete it.
   */
  #object(method: string, call: Call & { readonly name: string | undefined }): RestRequest {
    if (typeof call.name !== 'string' || call.name === '') throw new Error('resource name may not be empty');
    if (this.resource.namespaced && !this.namespace) {
      throw new Error('an empty namespace may not be set when a resource name is provided');
    }
    return this.#of(method, call);
  }

  #of(method: string, { name, subresource, options, body, headers }: Call): RestRequest {
    const { groupResource, groupVersionResource } = namesOf(this.resource);
    const { signal, timeoutMs, ...query } = options;
    const path = resourcePath(groupVersionResource, { namespace: this.namespace, name, subresource });
    return { method, path, query, headers, body, resource: groupResource, name, signal, timeoutMs };
  }

  /** Adds kind and apiVersion, because objects from lists and caches lack them. */
  #typed(object: object): object {
    const { group, version, kind } = this.resource;
    return { kind, apiVersion: group === '' ? version : `${group}/${version}`, ...object };
  }
}

interface Call {
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
  /** Options other than `signal` and `timeoutMs` become query parameters. */
  readonly options: CallOptions & ListOptions;
  readonly body?: unknown;
  readonly headers?: RestRequest['headers'];
}

/** Discards the responses of all requests. */
class Discarding implements Requests {
  readonly #rest: Requests;

  constructor(rest: Requests) {
    this.#rest = rest;
  }

  async request<R>(request: RestRequest): Promise<R> {
    return (await this.#rest.discard(request)) as R;
  }

  watch<R>(request: RestRequest): Promise<Watch<R>> {
    return this.#rest.watch(request);
  }

  discard(request: RestRequest): Promise<void> {
    return this.#rest.discard(request);
  }
}

const deleteBody = (options: DeleteOptions): DeleteOptions => ({
  kind: 'DeleteOptions',
  apiVersion: 'v1',
  ...options,
});

const nameOf = (object: KubernetesObject): string | undefined => object.metadata?.name;
