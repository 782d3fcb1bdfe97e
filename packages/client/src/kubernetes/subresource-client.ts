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
  /** Options other than `signal` and `timeoutMs` become query parameters. */
  readonly options: CallOptions;
  /** Additional query parameters, with names that may collide with options. */
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Path below the subresource, percent-encoded, with a leading slash. */
  readonly below?: string;
}

/** A client for a resource with subresources. Their methods are added from `subresources`. */
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
    // Without a name, the subresource would be taken for the object's name.
    if (name === '') throw new Error('resource name may not be empty');
    const path = resourcePath(groupVersionResource, { namespace: this.namespace, name, subresource }) + below;
    const query = call.query ? { ...options, ...call.query } : options;
    return { method, path, query, headers, body, resource: groupResource, name, signal, timeoutMs };
  }
}
