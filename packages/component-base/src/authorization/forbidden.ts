import { type ApiError, GroupResource, newForbidden, quote } from '@coxswain/apimachinery';
import type { AuthorizationAttributes } from './authorizer.ts';

const html: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes `&`, `<` and `>`, so that a browser does not render text from a client as HTML. */
export const withoutMarkup = (text: string): string =>
  text.replace(/[&<>]/g, (character) => html[character] ?? character);

/** Returns the 403 error of an unauthorized request. The authorizers' reason comes last. */
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
