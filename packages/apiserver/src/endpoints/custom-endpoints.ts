import type { Resource } from '@coxswain/api';
import { newBadRequest, newMethodNotSupported, newNotFound } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { notFoundResponse } from '@coxswain/component-base/http';
import type { RequestContext, RequestInfo } from '../http/request-context.ts';
import type { Endpoint, Endpoints } from './resource-router.ts';
import type { ResourceScope } from './scope.ts';

/** A served version of a custom resource. */
export interface CustomResource {
  readonly resource: Resource;
  /** The deprecation warning for every request to this version. */
  readonly warning: string | undefined;
  /** Created on first access. */
  readonly scope: ResourceScope;
  /** Runs `answer`, and keeps the registry and its caches open until it settles. */
  during<T>(answer: () => Promise<T>): Promise<T>;
}

const acrossNamespaces: ReadonlySet<string> = new Set(['list', 'watch']);

/**
 * Handles a request for a custom resource. Upstream does not route these through go-restful as built-in resources, so the
 * errors of invalid requests differ.
 */
export async function handleCustom(
  context: RequestContext,
  custom: CustomResource,
  endpointsOf: (subresource: string) => Endpoints,
): Promise<ApiResponse> {
  const { info } = context;
  const { resource, warning } = custom;
  if (!isAt(info, resource)) return notFoundResponse();
  if (warning) context.warn(warning);
  const { subresource, name, verb } = info;
  const isPart = subresource !== '';
  const { groupResource } = custom.scope;
  if (isPart && !resource.subresources?.some((part) => part.name === subresource))
    throw newNotFound(groupResource, name);
  const endpoint: Endpoint | undefined = endpointsOf(subresource)[verb];
  if (!endpoint) throw newMethodNotSupported(groupResource, verb);
  if ((verb === 'update' || verb === 'patch') && name === '') throw newBadRequest('name must be provided');
  return custom.during(() => endpoint(context, custom.scope));
}

/** Returns whether the path is valid for the resource: without empty segments, and with a namespace only if namespaced. */
function isAt({ path, apiPrefix, namespace, verb, parts }: RequestInfo, { namespaced }: Resource): boolean {
  if (!path.startsWith(`/${apiPrefix}/`) || apiPrefix !== 'apis' || parts.length > 3) return false;
  if (!namespaced) return namespace === '';
  return namespace !== '' || acrossNamespaces.has(verb);
}
