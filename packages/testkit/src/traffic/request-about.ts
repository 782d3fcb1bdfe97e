import type { TransportRequest } from '@coxswain/client';
import type { Caller } from '../component.ts';

/** The attributes of a request, in RBAC's terms. */
export interface RequestAbout {
  readonly by: Caller;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** `pods`, or with its subresource `pods/status`. Empty for non-resource paths. */
  readonly resource: string;
  /** Empty for cluster-scoped resources, and for requests across all namespaces. */
  readonly namespace: string;
  /** Empty for requests about a collection. */
  readonly name: string;
  readonly url: string;
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

export function requestAbout({ method, url }: Pick<TransportRequest, 'method' | 'url'>, by: Caller): RequestAbout {
  const [path = '', query = ''] = url.split('?');
  const match = /^\/(?:api|apis\/([^/]+))\/[^/]+\/(.+)$/.exec(path);
  if (!match) return { by, verb: method.toLowerCase(), group: '', resource: '', namespace: '', name: '', url };
  const [, group = '', rest = ''] = match;
  const parts = rest.split('/').map(decodeURIComponent);
  // `namespaces/x` and `namespaces/x/status` address the namespace itself.
  const isInside = parts[0] === 'namespaces' && parts.length > 2 && !['status', 'finalize'].includes(parts[2] ?? '');
  const namespace = isInside ? (parts.splice(0, 2)[1] ?? '') : '';
  const [kind = '', name = '', ...subresource] = parts;
  const isWatch = /(?:^|&)watch=(?:1|true)(?:&|$)/.test(query);
  const verb = verbs[method] ?? readOrDelete(method, name, isWatch);
  return { by, verb, group, resource: [kind, ...subresource].join('/'), namespace, name, url };
}

function readOrDelete(method: string, name: string, isWatch: boolean): string {
  if (method === 'DELETE') return name ? 'delete' : 'deletecollection';
  if (isWatch) return 'watch';
  return name ? 'get' : 'list';
}

/** Selects requests. A field that is absent matches any value; an array matches any of its values. */
export type RequestMatcher =
  | ((request: RequestAbout) => boolean)
  | { readonly [Field in Exclude<keyof RequestAbout, 'url'>]?: RequestAbout[Field] | readonly RequestAbout[Field][] };

export function matches(matcher: RequestMatcher, about: RequestAbout): boolean {
  if (typeof matcher === 'function') return matcher(about);
  const is = (wanted: string | readonly string[] | undefined, value: string): boolean =>
    wanted === undefined || (typeof wanted === 'string' ? wanted === value : wanted.includes(value));
  const { by, verb, group, resource, namespace, name } = matcher;
  return (
    is(by, about.by) &&
    is(verb, about.verb) &&
    is(group, about.group) &&
    is(resource, about.resource) &&
    is(namespace, about.namespace) &&
    is(name, about.name)
  );
}
