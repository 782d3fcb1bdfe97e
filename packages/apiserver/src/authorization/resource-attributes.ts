import type { AuthorizationAttributes } from '@coxswain/component-base/authorization';

/** Attributes of a check that is about a resource; what is left out is empty, the version is any. */
export function resourceAttributes(
  attributes: Pick<AuthorizationAttributes, 'user' | 'verb' | 'resource'> & Partial<AuthorizationAttributes>,
): AuthorizationAttributes {
  return {
    resourceRequest: true,
    apiGroup: '',
    apiVersion: '*',
    subresource: '',
    namespace: '',
    name: '',
    path: '',
    ...attributes,
  };
}
