import { fields, trim } from '@coxswain/apimachinery';
import type { RequestInfo } from './request-context.ts';

/** A map, because over HTTP/2 a method may be any word, `constructor` too. */
const verbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** What of a namespace is no resource inside it. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

/** A parameter that is there is true, whatever it says, unless it says the contrary. */
export const isTrue = (text: string | null): boolean => text !== null && text !== '0' && text.toLowerCase() !== 'false';

/** Reads what a request is for. The path is decoded; slashes in names do not exist. */
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
    // What follows the namespace is the resource, unless it is of the namespace itself.
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

/** Selecting one object by its name asks for no more than that object, and is authorized so. */
function selectedName(fieldSelector: string): string {
  if (!fieldSelector.includes('metadata.name')) return '';
  try {
    const name = fields.parse(fieldSelector).requiresExactMatch('metadata.name') ?? '';
    return name.includes('/') || name.includes('%') ? '' : name;
  } catch {
    return '';
  }
}
