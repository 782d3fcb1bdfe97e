import type { Resource } from '@coxswain/api';
import { newBadRequest, newMethodNotSupported, newNotFound } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { notFoundResponse } from '@coxswain/component-base/http';
import type { RequestContext, RequestInfo } from '../http/request-context.ts';
import type { Endpoint, Endpoints } from './resource-router.ts';
import type { ResourceScope } from './scope.ts';

/** A version of a resource that came while the server runs. */
export interface CustomResource {
  readonly resource: Resource;
  /** For everybody who uses it. */
  readonly warning: string | undefined;
  /** Made when first asked for. */
  readonly scope: ResourceScope;
  /** What it stands on is kept until the answer is there. */
  during<T>(answer: () => Promise<T>): Promise<T>;
}

const acrossNamespaces: ReadonlySet<string> = new Set(['list', 'watch']);

/**
 * Answers a request for a custom resource. Upstream does not route these as it does built-in ones, so that what is wrong
 * with a request is told in other words.
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

/** Whether the path is one of the resource's: spelled as it should be, and in a namespace if and only if it must be. */
function isAt({ path, apiPrefix, namespace, verb, parts }: RequestInfo, { namespaced }: Resource): boolean {
  if (!path.startsWith(`/${apiPrefix}/`) || apiPrefix !== 'apis' || parts.length > 3) return false;
  if (!namespaced) return namespace === '';
  return namespace !== '' || acrossNamespaces.has(verb);
}
