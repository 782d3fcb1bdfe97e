import { expect, it } from 'vitest';
import { RESTClient } from '../rest/rest-client.ts';
import { CachedDiscovery } from './cached-discovery.ts';
import { DiscoveryClient } from './discovery-client.ts';
import { RecordingTransport } from './recording-transport.test-data.ts';

const configMaps = { name: 'configmaps', singularName: 'configmap', namespaced: true, kind: 'ConfigMap', verbs: [] };
const version = (groupVersion: string) => ({ groupVersion, version: groupVersion.split('/').at(-1) ?? '' });
const group = (name: string, ...versions: string[]) => ({ name, versions: versions.map(version) });
const aggregatedGroup = (name: string | undefined, ...versions: object[]) => ({ metadata: { name }, versions });
const resources = [
  { resource: 'configmaps', singularResource: 'configmap', scope: 'Namespaced', responseKind: configMaps, verbs: [] },
];

function serverWith(answers: Record<string, unknown>): { transport: RecordingTransport; discovery: DiscoveryClient } {
  const transport = new RecordingTransport();
  for (const [path, body] of Object.entries(answers)) transport.answers.set(path, { status: 200, body });
  return { transport, discovery: new DiscoveryClient(new RESTClient(transport)) };
}

const oldServer = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', groups: [group('up', 'up/v1'), group('down', 'down/v2', 'down/v1')] },
  '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: [configMaps] },
  '/apis/up/v1': { kind: 'APIResourceList', groupVersion: 'up/v1', resources: [configMaps] },
};
const aggregatedServer = (apiVersion: string) => ({
  '/api': {
    kind: 'APIGroupDiscoveryList',
    apiVersion,
    items: [aggregatedGroup(undefined, { version: 'v1', resources })],
  },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    apiVersion,
    items: [
      aggregatedGroup(
        'down',
        { version: 'v2', freshness: 'Stale' },
        { version: 'v1', resources, freshness: 'Current' },
      ),
    ],
  },
});

it('returns the other group versions when some cannot be read, and reports which failed', async () => {
  const { transport, discovery } = serverWith(oldServer);
  const { groups, resourceLists, failure } = await discovery.serverGroupsAndResources();
  expect(groups.map(({ name }) => name)).toEqual(['', 'up', 'down']);
  expect(resourceLists.map(({ groupVersion }) => groupVersion)).toEqual(['v1', 'up/v1']);
  expect(failure?.message).toBe(
    'unable to retrieve the complete list of server APIs: ' +
      'down/v1: the server could not find the requested resource, down/v2: the server could not find the requested resource',
  );
  // It reads discovery twice, because the group may have been removed in between.
  expect(transport.requests.filter((it) => it.startsWith('GET /apis/down/v1'))).toHaveLength(2);
});

it.each(['apidiscovery.k8s.io/v2', 'apidiscovery.k8s.io/v2beta1'])(
  'reports group versions that are stale in %s as failed',
  async (apiVersion) => {
    const { transport, discovery } = serverWith(aggregatedServer(apiVersion));
    const { groups, resourceLists, failure } = await discovery.serverGroupsAndResources();
    expect(groups[1]).toMatchObject({ name: 'down', preferredVersion: { version: 'v1' } });
    expect(resourceLists.map(({ groupVersion }) => groupVersion)).toEqual(['v1', 'down/v1']);
    expect(failure?.message).toBe(
      'unable to retrieve the complete list of server APIs: down/v2: stale GroupVersion discovery: down/v2',
    );
    expect(transport.requests).toHaveLength(2);
  },
);

it('reads everything unaggregated when only one of /api and /apis is aggregated', async () => {
  const { discovery } = serverWith({
    ...oldServer,
    '/api': aggregatedServer('apidiscovery.k8s.io/v2')['/api'],
    '/apis': { kind: 'APIGroupList', groups: [group('up', 'up/v1')] },
  });
  const { groups, resourceLists } = await discovery.serverGroupsAndResources();
  expect(groups.map(({ name }) => name)).toEqual(['', 'up']);
  expect(resourceLists.map(({ groupVersion }) => groupVersion)).toEqual(['v1', 'up/v1']);
});

it('works without a core group', async () => {
  const { discovery } = serverWith({ '/apis': aggregatedServer('apidiscovery.k8s.io/v2')['/apis'] });
  expect((await discovery.groups()).map(({ name }) => name)).toEqual(['down']);
  expect(await discovery.resourcesFor('v1')).toEqual({ groupVersion: 'v1', resources: [] });
});

it('requests a group version again after a transient failure', async () => {
  const { transport, discovery } = serverWith(oldServer);
  transport.answers.set('/apis/down/v1', { status: 503, body: 'later' });
  const cached = new CachedDiscovery(discovery);
  expect((await cached.serverGroupsAndResources()).failure?.groupVersions.size).toBe(2);
  await expect(cached.resourcesFor('down/v1')).rejects.toThrow('unable to handle the request');
  await expect(cached.resourcesFor('down/v2')).rejects.toThrow('could not find');
  const list = { kind: 'APIResourceList', groupVersion: 'down/v1', resources: [configMaps] };
  transport.answers.set('/apis/down/v1', { status: 200, body: list });
  expect(await cached.resourcesFor('down/v1')).toEqual(list);
  const { length } = transport.requests;
  expect(await cached.resourcesFor('down/v1')).toEqual(list);
  expect(transport.requests).toHaveLength(length);
});
