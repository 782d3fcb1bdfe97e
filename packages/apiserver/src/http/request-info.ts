import { fields, trim } from '@coxswain/apimachinery';
import type { RequestInfo } from './request-context.ts';

/** A Map instead of an object, because over HTTP/2 a method may be any word, such as `constructor`. */
const verbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** The subresources of a namespace. Any other path segment after a namespace is a resource in it. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

/** Parses a boolean query parameter as upstream does: any value other than `0` and `false` is true, also an empty one. */
export const isTrue = (text: string | null): boolean => text !== null && text !== '0' && text.toLowerCase() !== 'false';

/** Parses the RequestInfo of a request. `path` must be percent-decoded, so a name cannot contain a slash. */
export function readRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const nonResource: RequestInfo = {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix: '',
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
    fieldSelector: '',
    labelSelector: '',
  };
  const segments = trim(path, '/').split('/');
  const [apiPrefix = ''] = segments;
  const grouped = apiPrefix === 'apis';
  // `/api/v1` and `/apis/apps/v1` are discovery; a resource follows them.
  if ((!grouped && apiPrefix !== 'api') || segments.length < (grouped ? 4 : 3)) return nonResource;
  const apiGroup = grouped ? segments[1]! : '';
  const apiVersion = segments[grouped ? 2 : 1]!;
  let rest = segments.slice(grouped ? 3 : 2);
  let verb = verbs.get(method) ?? '';
  if (rest[0] === 'watch' || rest[0] === 'proxy') {
    if (rest.length < 2) return { ...nonResource, apiPrefix, apiGroup, apiVersion };
    verb = rest[0];
    rest = rest.slice(1);
  }
  let namespace = '';
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1]!;
    // After the namespace's name follows a resource in it, or a subresource of the namespace itself.
    if (rest.length > 2 && !namespaceSubresources.has(rest[2]!)) rest = rest.slice(2);
  }
  const [resource = '', given = '', subresource = ''] = rest;
  const listing = given === '' && verb === 'get';
  const fieldSelector = listing || verb === 'watch' || verb === 'delete' ? (query.get('fieldSelector') ?? '') : '';
  const labelSelector = listing || verb === 'watch' || verb === 'delete' ? (query.get('labelSelector') ?? '') : '';
  if (listing) verb = isTrue(query.get('watch')) ? 'watch' : 'list';
  if (given === '' && verb === 'delete') verb = 'deletecollection';
  const named = given === '' && (verb === 'list' || verb === 'watch' || verb === 'deletecollection');
  return {
    isResourceRequest: true,
    path,
    verb,
    apiPrefix,
    apiGroup,
    apiVersion,
    namespace,
    resource,
    subresource,
    name: named ? selectedName(fieldSelector) : given,
    parts: rest,
    fieldSelector,
    labelSelector,
  };
}

/** Returns the name that `metadata.name=…` selects: such a request is authorized as one for that object. */
function selectedName(fieldSelector: string): string {
  if (!fieldSelector.includes('metadata.name')) return '';
  try {
    const name = fields.parse(fieldSelector).requiresExactMatch('metadata.name') ?? '';
    return name.includes('/') || name.includes('%') ? '' : name;
  } catch {
    return '';
  }
}
