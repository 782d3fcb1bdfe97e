import type { Resource } from '@coxswain/api';
import type { RequestInfo } from '../http/request-context.ts';

/** What is passed on has a path of its own behind it. */
const openEnded = 'proxy';

/**
 * Whether a path of this form is one of the resource's. Authorization has judged what the path means; this sees to it
 * that nothing is served under another spelling of the same meaning.
 */
export function isRouted(info: RequestInfo, { namespaced, subresources }: Resource): boolean {
  const { path, apiPrefix, apiGroup, namespace, verb, parts, subresource } = info;
  // `//api/v1/pods` and `/apis//v1/pods` mean pods, but are not where they are.
  if (!path.startsWith(`/${apiPrefix}/`) || (apiPrefix === 'apis') !== (apiGroup !== '')) return false;
  // `/api/v1/proxy/…` has gone long ago.
  if (verb === 'proxy' || (verb === 'watch' && subresource !== '')) return false;
  const isInNamespace = namespace !== '' && !isNamespaceItself(info);
  const [, name = ''] = parts;
  if (isInNamespace ? !namespaced : namespaced && name !== '') return false;
  if (subresource === '') return true;
  if (parts.length > 3 && subresource !== openEnded) return false;
  return subresources?.some((part) => part.name === subresource) ?? false;
}

/** `/namespaces/x` and its parts, but not `/namespaces/x/namespaces/x`, which reads the same. */
function isNamespaceItself({ path, apiVersion, parts }: RequestInfo): boolean {
  if (parts[0] !== 'namespaces') return false;
  const own = parts.join('/');
  return [`/api/${apiVersion}/${own}`, `/api/${apiVersion}/watch/${own}`].some(
    (spelled) => path.startsWith(spelled) && /^\/*$/.test(path.slice(spelled.length)),
  );
}
