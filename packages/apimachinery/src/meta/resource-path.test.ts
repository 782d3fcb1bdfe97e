import { expect, it } from 'vitest';
import { GroupVersionResource } from './group-version.ts';
import { groupVersionPath, resourcePath } from './resource-path.ts';

const pods = GroupVersionResource.of('', 'v1', 'pods');
const deployments = GroupVersionResource.of('apps', 'v1', 'deployments');

it.each([
  ['a collection in all namespaces', pods, {}, '/api/v1/pods'],
  ['a collection', pods, { namespace: 'default' }, '/api/v1/namespaces/default/pods'],
  ['an object', deployments, { namespace: 'a', name: 'web' }, '/apis/apps/v1/namespaces/a/deployments/web'],
  ['a subresource', pods, { namespace: 'a', name: 'p', subresource: 'log' }, '/api/v1/namespaces/a/pods/p/log'],
  [
    'a subresource with a path',
    pods,
    { namespace: 'a', name: 'p', subresource: 'proxy/x' },
    '/api/v1/namespaces/a/pods/p/proxy/x',
  ],
  ['names to be encoded', pods, { name: 'system:a b?' }, '/api/v1/pods/system%3Aa%20b%3F'],
])('gives the path of %s', (_, resource, options, path) => {
  expect(resourcePath(resource, options)).toBe(path);
});

it.each([
  [{ name: '..' }, `invalid resource name "..": [may not be '..']`],
  [{ name: 'a/b%c' }, `invalid resource name "a/b%c": [may not contain '/' may not contain '%']`],
  [{ namespace: '.' }, `invalid namespace ".": [may not be '.']`],
  [{ name: 'x', subresource: '..' }, `invalid subresource "..": [may not be '..']`],
  [{ subresource: 'status' }, 'resource name may not be empty'],
])('refuses %j', (options, message) => {
  expect(() => resourcePath(pods, options)).toThrow(new Error(message));
});

it('returns the path of a group version', () => {
  expect(groupVersionPath(pods.groupVersion)).toBe('/api/v1');
  expect(groupVersionPath(deployments.groupVersion)).toBe('/apis/apps/v1');
});
