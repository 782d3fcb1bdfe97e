import type { AuthorizationAttributes } from '../authorization/index.ts';
import type { RequestState } from './request-state.ts';

/** Returns the attributes of the request for authorizers. */
export function attributesOf({ info, user }: RequestState): AuthorizationAttributes {
  const { verb, apiGroup, apiVersion, resource, subresource, namespace, name, path, fieldSelector, labelSelector } =
    info;
  return {
    user,
    verb,
    resourceRequest: info.isResourceRequest,
    apiGroup,
    apiVersion,
    resource,
    subresource,
    namespace,
    name,
    path,
    ...(fieldSelector && { fieldSelector }),
    ...(labelSelector && { labelSelector }),
  };
}
