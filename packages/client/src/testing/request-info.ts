import { GroupVersion, type GroupVersionResource } from '@coxswain/apimachinery/meta';
import type { TransportRequest } from '../transport/transport.ts';

/** The verb, resource and names of a request. */
export interface RequestInfo {
  readonly verb: string;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
}

const verbs: Readonly<Record<string, readonly [one: string, many: string] | undefined>> = {
  GET: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};

/** Parses a request for a resource; returns undefined for other paths. */
export function requestInfo({ method, url }: Pick<TransportRequest, 'method' | 'url'>): RequestInfo | undefined {
  const { pathname, searchParams } = new URL(url, 'http://fake');
  const [root, ...parts] = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const groupVersion = takeGroupVersion(root, parts);
  if (!groupVersion || parts.length === 0 || !verbs[method]) return undefined;
  let namespace = '';
  // `namespaces/x/status` is a subresource of the namespace.
  const isOfNamespace = ['status', 'finalize'].includes(parts[2] ?? '');
  if (parts[0] === 'namespaces' && parts.length > 2 && !isOfNamespace) {
    namespace = parts[1] ?? '';
    parts.splice(0, 2);
  }
  const [resource = '', name = '', ...subresource] = parts;
  const options = Object.fromEntries(searchParams);
  const [one, many] = verbs[method];
  const isWatch = method === 'GET' && name === '' && ['true', '1'].includes(options.watch ?? '');
  return {
    verb: isWatch ? 'watch' : name === '' ? many : one,
    resource: groupVersion.withResource(resource),
    subresource: subresource.join('/'),
    namespace,
    name,
    options,
  };
}

/** `api/v1`, `apis/apps/v1`. */
function takeGroupVersion(root: string | undefined, parts: string[]): GroupVersion | undefined {
  const group = root === 'api' ? '' : root === 'apis' ? parts.shift() : undefined;
  const version = parts.shift();
  return group === undefined || version === undefined ? undefined : GroupVersion.of(group, version);
}
