import { headerOf } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';

/** The labels of request metrics. */
export interface RequestLabels {
  readonly verb: string;
  /** `All` for a dry run, `invalid` for other values of the parameter, else empty. */
  readonly dryRun: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** For paths that are not resources, the path. */
  readonly subresource: string;
  readonly scope: '' | 'resource' | 'namespace' | 'cluster';
}

const knownVerbs: ReadonlySet<string> = new Set([
  'APPLY',
  'CONNECT',
  'DELETE',
  'DELETECOLLECTION',
  'GET',
  'LIST',
  'PATCH',
  'POST',
  'PUT',
  'WATCH',
  'WATCHLIST',
]);
const connections: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/**
 * Returns the labels of a request. Must be called only for served paths, so that clients cannot create arbitrary label values.
 */
export function requestLabels({ info, query, request }: RequestContext): RequestLabels {
  const scope =
    info.name !== '' || info.verb === 'create'
      ? 'resource'
      : info.namespace !== ''
        ? 'namespace'
        : info.isResourceRequest
          ? 'cluster'
          : '';
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const watch = request.method === 'GET' ? query.get('watch')?.toLowerCase() : undefined;
  let verb = isRead ? (scope === 'resource' || scope === '' ? 'GET' : 'LIST') : request.method;
  if (info.verb === 'watch' || (watch !== undefined && watch !== '0' && watch !== 'false')) verb = 'WATCH';
  if (verb === 'PATCH' && headerOf(request, 'content-type') === 'application/apply-patch+yaml') verb = 'APPLY';
  if (info.isResourceRequest && connections.has(info.subresource)) verb = 'CONNECT';
  const resource = info.isResourceRequest
    ? { group: info.apiGroup, version: info.apiVersion, resource: info.resource, subresource: info.subresource }
    : { group: '', version: '', resource: '', subresource: info.path };
  return { verb: knownVerbs.has(verb) ? verb : 'other', dryRun: dryRunOf(query), ...resource, scope };
}

function dryRunOf(query: URLSearchParams): string {
  const values = query.getAll('dryRun');
  if (values.length === 0) return '';
  return values.every((value) => value === 'All') ? 'All' : 'invalid';
}
