import { describe, expect, it } from 'vitest';
import { matches, type RequestMatcher, requestAbout } from './request-about.ts';

describe('requestAbout returns the attributes of', () => {
  it.each([
    ['GET', '/api/v1/pods', 'list', '', 'pods', '', ''],
    ['GET', '/api/v1/namespaces/a/pods?watch=true&x=1', 'watch', '', 'pods', 'a', ''],
    ['GET', '/apis/apps/v1/namespaces/a/deployments/web', 'get', 'apps', 'deployments', 'a', 'web'],
    ['PATCH', '/api/v1/namespaces/a/pods/web/status', 'patch', '', 'pods/status', 'a', 'web'],
    ['POST', '/api/v1/namespaces/a/pods/web/binding', 'create', '', 'pods/binding', 'a', 'web'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update', '', 'namespaces/finalize', '', 'a'],
    ['GET', '/api/v1/namespaces/a', 'get', '', 'namespaces', '', 'a'],
    ['DELETE', '/api/v1/nodes/n', 'delete', '', 'nodes', '', 'n'],
    ['DELETE', '/api/v1/namespaces/a/pods?labelSelector=watch%3Dtrue', 'deletecollection', '', 'pods', 'a', ''],
    [
      'GET',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
      'get',
      'rbac.authorization.k8s.io',
      'clusterroles',
      '',
      'system:node',
    ],
    ['GET', '/readyz', 'get', '', '', '', ''],
    ['GET', '/apis/apps/v1', 'get', '', '', '', ''],
  ])('%s %s', (method, url, verb, group, resource, namespace, name) => {
    expect(requestAbout({ method, url }, 'users')).toEqual({
      by: 'users',
      verb,
      group,
      resource,
      namespace,
      name,
      url,
    });
  });
});

describe('a matcher', () => {
  const about = requestAbout({ method: 'PUT', url: '/api/v1/namespaces/a/pods/web' }, 'controllers');
  it.each<[string, RequestMatcher, boolean]>([
    ['matches everything when it is empty', {}, true],
    [
      'matches when all its fields do',
      { verb: 'update', resource: 'pods', namespace: 'a', name: 'web', by: 'controllers' },
      true,
    ],
    ['matches any value of a list', { verb: ['create', 'update'] }, true],
    ['does not match other values', { verb: 'update', by: ['nodes', 'users'] }, false],
    ['does not match other subresources', { resource: 'pods/status' }, false],
    ['may be a function', ({ url }) => url.endsWith('/web'), true],
  ])('%s', (_, matcher, expected) => {
    expect(matches(matcher, about)).toBe(expected);
  });
});
