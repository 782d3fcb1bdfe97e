import { type KubernetesObject, resourcePath } from '@coxswain/apimachinery/meta';
import {
  type CallOptions,
  type RESTClient,
  ResourceClient,
  type ResourceDescription,
  type RestRequest,
} from '../rest/index.ts';
import { namesOf } from '../rest/resource-names.ts';

export interface SubresourceCall {
  readonly method: string;
  readonly name: string;
  readonly subresource: string;
  /** Those of the API go into the query. */
  readonly options: CallOptions;
  /** More of it, by names that are not ours. */
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Below the subresource, percent-encoded, from its slash on. */
  readonly below?: string;
}

/** A resource with more below its objects than their status; the methods come from `subresources`. */
export class SubresourceClient<T extends KubernetesObject> extends ResourceClient<T> {
  readonly rest: RESTClient;

  constructor(rest: RESTClient, resource: ResourceDescription, namespace?: string) {
    super(rest, resource, namespace);
    this.rest = rest;
  }

  subresourceRequest(call: SubresourceCall): RestRequest {
    const { method, name, subresource, body, headers, below = '' } = call;
    const { groupResource, groupVersionResource } = namesOf(this.resource);
    const { signal, timeoutMs, ...options } = call.options;
    // Otherwise the path would be that of the resource, with the subresource as a name.
    if (name === '') throw new Error('resource name may not be empty');
    const path = resourcePath(groupVersionResource, { namespace: this.namespace, name, subresource }) + below;
    const query = call.query ? { ...options, ...call.query } : options;
    return { method, path, query, headers, body, resource: groupResource, name, signal, timeoutMs };
  }
}
