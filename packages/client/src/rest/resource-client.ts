import {
  type CreateOptions,
  type DeleteOptions,
  type GetOptions,
  GroupResource,
  GroupVersionResource,
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
import type { ApplyCallOptions, PatchBodies, PatchType, ResourceInterface } from './resource-interface.ts';
import type { RESTClient } from './rest-client.ts';
import type { RestRequest } from './rest-request.ts';

/** All verbs on one resource over a RESTClient. */
export class ResourceClient<T extends KubernetesObject> implements ResourceInterface<T> {
  readonly resource: ResourceDescription;
  readonly namespace: string | undefined;
  readonly #rest: RESTClient;

  constructor(rest: RESTClient, resource: ResourceDescription, namespace?: string) {
    this.#rest = rest;
    this.resource = resource;
    this.namespace = namespace;
  }

  get(name: string, options: GetOptions & CallOptions = {}): Promise<T> {
    return this.#rest.request(this.#of('GET', { name, options }));
  }

  list(options: ListOptions & CallOptions = {}): Promise<KubernetesList<T>> {
    return this.#rest.request(this.#of('GET', { options }));
  }

  watch(options: ListOptions & CallOptions = {}): Promise<Watch<T>> {
    return this.#rest.watch(this.#of('GET', { options: { ...options, watch: true } }));
  }

  create(object: T, options: CreateOptions & CallOptions = {}): Promise<T> {
    return this.#rest.request(this.#of('POST', { options, body: this.#typed(object) }));
  }

  update(object: T, options: UpdateOptions & CallOptions = {}): Promise<T> {
    return this.#rest.request(this.#of('PUT', { name: nameOf(object), options, body: this.#typed(object) }));
  }

  updateStatus(object: T, options: UpdateOptions & CallOptions = {}): Promise<T> {
    const subresource = 'status';
    return this.#rest.request(
      this.#of('PUT', { name: nameOf(object), subresource, options, body: this.#typed(object) }),
    );
  }

  patch<P extends PatchType>(
    name: string,
    type: P,
    patch: PatchBodies<T>[P],
    { subresource, ...options }: PatchOptions & CallOptions & { readonly subresource?: string } = {},
  ): Promise<T> {
    const headers = { 'content-type': `application/${type}-patch+json` };
    return this.#rest.request({ ...this.#of('PATCH', { name, subresource, options, body: patch }), headers });
  }

  apply(configuration: ApplyConfiguration<T>, { subresource, ...options }: ApplyCallOptions): Promise<T> {
    const { name } = configuration.metadata;
    const body = this.#typed(configuration);
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    return this.#rest.request({ ...this.#of('PATCH', { name, subresource, options, body }), headers });
  }

  delete(name: string, { signal, timeoutMs, ...body }: DeleteOptions & CallOptions = {}): Promise<T | Status> {
    return this.#rest.request(this.#of('DELETE', { name, options: { signal, timeoutMs }, body: deleteBody(body) }));
  }

  deleteCollection(
    { signal, timeoutMs, ...body }: DeleteOptions & CallOptions = {},
    which: ListOptions = {},
  ): Promise<KubernetesList<T> | Status> {
    return this.#rest.request(this.#of('DELETE', { options: { ...which, signal, timeoutMs }, body: deleteBody(body) }));
  }

  #of(method: string, { name, subresource, options, body }: Call): RestRequest {
    const { group, version, resource } = this.resource;
    const { signal, timeoutMs, ...query } = options;
    const path = resourcePath(GroupVersionResource.of(group, version, resource), {
      ...(this.namespace !== undefined && { namespace: this.namespace }),
      ...(name !== undefined && { name }),
      ...(subresource !== undefined && { subresource }),
    });
    return {
      method,
      path,
      query,
      resource: GroupResource.of(group, resource),
      ...(name !== undefined && { name }),
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    };
  }

  /** Complete with what it is: objects out of lists and caches say nothing of it. */
  #typed(object: object): object {
    const { group, version, kind } = this.resource;
    return { kind, apiVersion: group === '' ? version : `${group}/${version}`, ...object };
  }
}

interface Call {
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
  /** Those of the API go into the query. */
  readonly options: CallOptions & ListOptions;
  readonly body?: unknown;
}

const deleteBody = (options: DeleteOptions): DeleteOptions => ({
  kind: 'DeleteOptions',
  apiVersion: 'v1',
  ...options,
});

function nameOf(object: KubernetesObject): string {
  const name = object.metadata?.name;
  if (!name) throw new Error('resource name may not be empty');
  return name;
}
