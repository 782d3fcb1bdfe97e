import type { AuthorizationAttributes } from '@coxswain/component-base/authorization';

/** Attributes of a resource request. Omitted ones are empty, the version is any. */
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
