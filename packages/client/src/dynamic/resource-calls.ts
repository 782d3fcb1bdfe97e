import type { ListOptions } from '@coxswain/apimachinery/meta';
import type { CallOptions } from '../rest/call-options.ts';
import type { ResourceDescription } from '../rest/resource.ts';
import type { RESTClient } from '../rest/rest-client.ts';
import type { Watch } from '../watch/watch.ts';
import { type ResourceCall, resourceRequest } from './resource-request.ts';

/** Base class for clients of one resource: builds and sends the requests. */
export abstract class ResourceCalls {
  readonly resource: ResourceDescription;
  readonly namespace: string | undefined;
  protected readonly rest: RESTClient;

  /** An empty namespace means all namespaces. */
  constructor(rest: RESTClient, resource: ResourceDescription, namespace?: string) {
    this.rest = rest;
    this.resource = resource;
    this.namespace = namespace === '' ? undefined : namespace;
  }

  protected send<T>(method: string, call: Omit<ResourceCall, 'resource' | 'namespace'>): Promise<T> {
    const { resource, namespace } = this;
    return this.rest.request(resourceRequest(method, { resource, namespace, ...call }));
  }

  protected sendWatch<T>(
    options: ListOptions & CallOptions,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Watch<T>> {
    const { resource, namespace } = this;
    const call = { resource, namespace, options: { ...options, watch: true }, ...(headers && { headers }) };
    return this.rest.watch(resourceRequest('GET', call));
  }
}
