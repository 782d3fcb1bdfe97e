import type { Resource } from '@coxswain/api';
import type { RequestInfo } from '../http/request-context.ts';

/** The only subresource that is followed by an arbitrary path. */
const openEnded = 'proxy';

/**
 * Returns whether the path has the form of a route of the resource. Authorization used the parsed RequestInfo; this check makes
 * sure that a resource is served only at its canonical path, not at other paths with the same RequestInfo.
 */
export function isRouted(info: RequestInfo, { namespaced, subresources }: Resource): boolean {
  const { path, apiPrefix, apiGroup, namespace, verb, parts, subresource } = info;
  // `//api/v1/pods` and `/apis//v1/pods` parse as pods, but are not their path.
  if (!path.startsWith(`/${apiPrefix}/`) || (apiPrefix === 'apis') !== (apiGroup !== '')) return false;
  // The legacy `/api/v1/proxy/…` was removed upstream.
  if (verb === 'proxy' || (verb === 'watch' && subresource !== '')) return false;
  const isInNamespace = namespace !== '' && !isNamespaceItself(info);
  const [, name = ''] = parts;
  if (isInNamespace ? !namespaced : namespaced && name !== '') return false;
  if (subresource === '') return true;
  if (parts.length > 3 && subresource !== openEnded) return false;
  return subresources?.some((part) => part.name === subresource) ?? false;
}

/** Returns whether the path is `/namespaces/x` or a subresource, rather than `/namespaces/x/namespaces/x`, which parses the same. */
function isNamespaceItself({ path, apiVersion, parts }: RequestInfo): boolean {
  if (parts[0] !== 'namespaces') return false;
  const own = parts.join('/');
  return [`/api/${apiVersion}/${own}`, `/api/${apiVersion}/watch/${own}`].some(
    (spelled) => path.startsWith(spelled) && /^\/*$/.test(path.slice(spelled.length)),
  );
}
