import { describe, expect, it } from 'vitest';
import type { RequestInfo } from './request-context.ts';
import { readRequestInfo } from './request-info.ts';

const read = (method: string, url: string): RequestInfo => {
  const [path = '', search = ''] = url.split('?');
  return readRequestInfo(method, path, new URLSearchParams(search));
};

describe('readRequestInfo', () => {
  it.each<[string, string, Partial<RequestInfo>]>([
    ['GET', '/api/v1/pods', { verb: 'list', resource: 'pods', namespace: '', apiGroup: '', apiVersion: 'v1' }],
    ['GET', '/api/v1/namespaces/a/pods', { verb: 'list', resource: 'pods', namespace: 'a' }],
    ['GET', '/api/v1/namespaces/a/pods?watch=true', { verb: 'watch' }],
    ['GET', '/api/v1/namespaces/a/pods?watch=0', { verb: 'list' }],
    ['GET', '/api/v1/namespaces/a/pods/b', { verb: 'get', name: 'b', subresource: '' }],
    ['HEAD', '/api/v1/namespaces/a/pods/b', { verb: 'get' }],
    ['PUT', '/api/v1/namespaces/a/pods/b/status', { verb: 'update', name: 'b', subresource: 'status' }],
    ['POST', '/api/v1/namespaces/a/pods', { verb: 'create', name: '' }],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/b', { verb: 'patch', apiGroup: 'apps', resource: 'deployments' }],
    ['DELETE', '/api/v1/nodes/n', { verb: 'delete', resource: 'nodes', name: 'n' }],
    ['DELETE', '/api/v1/namespaces/a/pods', { verb: 'deletecollection', name: '' }],
    ['GET', '/api/v1/namespaces', { verb: 'list', resource: 'namespaces', namespace: '' }],
    ['GET', '/api/v1/namespaces/a', { verb: 'get', resource: 'namespaces', namespace: 'a', name: 'a' }],
    ['PUT', '/api/v1/namespaces/a/finalize', { resource: 'namespaces', name: 'a', subresource: 'finalize' }],
    ['GET', '/api/v1/watch/namespaces/a/pods/b', { verb: 'watch', resource: 'pods', namespace: 'a', name: 'b' }],
    ['GET', '/api/v1/nodes/n/proxy/stats/summary', { verb: 'get', name: 'n', subresource: 'proxy' }],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Db', { verb: 'list', name: 'b' }],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Da%2Fb', { verb: 'list', name: '' }],
  ])('%s %s', (method, url, expected) => {
    expect(read(method, url)).toMatchObject({ isResourceRequest: true, ...expected });
  });

  it.each([
    ['GET', '/'],
    ['GET', '/healthz'],
    ['GET', '/api'],
    ['GET', '/api/v1'],
    ['GET', '/apis/apps/v1'],
    ['GET', '/api/v1/watch'],
    ['POST', '/version'],
  ])('%s %s is not a resource request', (method, url) => {
    expect(read(method, url)).toMatchObject({ isResourceRequest: false, verb: method.toLowerCase() });
  });

  it('does not collapse double slashes', () => {
    expect(read('GET', '/api//v1/pods')).not.toMatchObject({ resource: 'pods', apiVersion: 'v1' });
  });
});
