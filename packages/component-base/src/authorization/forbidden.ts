import { type ApiError, GroupResource, newForbidden, quote } from '@coxswain/apimachinery';
import type { AuthorizationAttributes } from './authorizer.ts';

const html: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** What a client sent must not look like a page to a browser. */
export const withoutMarkup = (text: string): string =>
  text.replace(/[&<>]/g, (character) => html[character] ?? character);

/** The 403 for what nobody allowed. The reason is the authorizers', and stands at the end. */
export function forbidden(attributes: AuthorizationAttributes, reason = ''): ApiError {
  const message = withoutMarkup(describe(attributes));
  return newForbidden(
    GroupResource.of(attributes.apiGroup, attributes.resource),
    attributes.name,
    reason === '' ? message : `${message}: ${reason}`,
  );
}

function describe(attributes: AuthorizationAttributes): string {
  const { user, verb, apiGroup, subresource, namespace } = attributes;
  const who = `User ${quote(user.username)} cannot ${verb}`;
  if (!attributes.resourceRequest) return `${who} path ${quote(attributes.path)}`;
  const resource = quote(subresource === '' ? attributes.resource : `${attributes.resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(namespace)}`;
  return `${who} resource ${resource} in API group ${quote(apiGroup)} ${where}`;
}
