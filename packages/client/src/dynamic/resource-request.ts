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

/** What of a resource is asked for. */
export interface ResourceCall {
  readonly resource: MetaGroupVersionResource;
  readonly namespace: string | undefined;
  /** Left out for the collection; a name that is there must not be empty, or an object's deletion would be that of all. */
  readonly name?: string | undefined;
  readonly subresources?: readonly string[];
  /** The API's own go into the query. */
  readonly options?: CallOptions & ListOptions;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A request for a resource of which nothing is known but its name. Throws for names that cannot be part of a path. */
export function resourceRequest(method: string, call: ResourceCall): RestRequest {
  const { resource, namespace, name, subresources = [], options = {}, headers, body } = call;
  const { signal, timeoutMs, ...query } = options;
  if ('name' in call && !name) throw new Error('name is required');
  const groupVersionResource = GroupVersionResource.of(resource.group, resource.version, resource.resource);
  const path = resourcePath(groupVersionResource, { namespace, name, subresource: subresources.join('/') });
  const groupResource = GroupResource.of(resource.group, resource.resource);
  return { method, path, query, headers, body, resource: groupResource, name, signal, timeoutMs };
}

/** The body of a delete, apart from what concerns the call. */
export function deleteCall({ signal, timeoutMs, ...body }: DeleteOptions & CallOptions): {
  options: CallOptions;
  body: DeleteOptions;
} {
  return {
    options: { signal, timeoutMs },
    body: { kind: 'DeleteOptions', apiVersion: 'v1', ...body },
  };
}
