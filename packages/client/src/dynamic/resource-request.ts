import {
  type DeleteOptions,
  GroupResource,
  GroupVersionResource,
  type ListOptions,
  type MetaGroupVersionResource,
  resourcePath,
} from '@coxswain/apimachinery/meta';
import type { CallOptions } from '../rest/call-options.ts';
import type { RestRequest } from '../rest/rest-client.ts';

/** The parameters of a request for a resource. */
export interface ResourceCall {
  readonly resource: MetaGroupVersionResource;
  readonly namespace: string | undefined;
  /**
   * Absent for requests to the collection. A name that is given must not be empty: deleting an object without a name
   * would delete the collection.
   */
  readonly name?: string | undefined;
  readonly subresources?: readonly string[];
  /** Options other than `signal` and `timeoutMs` become query parameters. */
  readonly options?: CallOptions & ListOptions;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Builds a request for a resource. Throws for names that cannot be a path segment. */
export function resourceRequest(method: string, call: ResourceCall): RestRequest {
  const { resource, namespace, name, subresources = [], options = {}, headers, body } = call;
  const { signal, timeoutMs, ...query } = options;
  if ('name' in call && !name) throw new Error('name is required');
  const groupVersionResource = GroupVersionResource.of(resource.group, resource.version, resource.resource);
  const path = resourcePath(groupVersionResource, { namespace, name, subresource: subresources.join('/') });
  const groupResource = GroupResource.of(resource.group, resource.resource);
  return { method, path, query, headers, body, resource: groupResource, name, signal, timeoutMs };
}

/** Splits the options of a delete into the call's options and the DeleteOptions body. */
export function deleteCall({ signal, timeoutMs, ...body }: DeleteOptions & CallOptions): {
  options: CallOptions;
  body: DeleteOptions;
} {
  return {
    options: { signal, timeoutMs },
    body: { kind: 'DeleteOptions', apiVersion: 'v1', ...body },
  };
}
