import { isNotFound } from '@coxswain/apimachinery/errors';
import { GroupKind, GroupVersionResource } from '@coxswain/apimachinery/meta';
import { NoKindMatchError } from '@coxswain/apimachinery/restmapper';
import { type RunningApiServer, startApiServer } from '@coxswain/apiserver';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RESTClient } from '../rest/rest-client.ts';
import { InProcessTransport } from '../transport/index.ts';
import { CachedDiscovery } from './cached-discovery.ts';
import { defineCronTabs } from './crontab.test-data.ts';
import { DeferredRESTMapper } from './deferred-rest-mapper.ts';
import { DiscoveryClient } from './discovery-client.ts';
import { filteredBy, supportsAllVerbs } from './preferred-resources.ts';
import { RecordingTransport } from './recording-transport.test-data.ts';
import { isResourceEnabled, serverSupportsVersion } from './server-supports.ts';

let server: RunningApiServer;
let transport: RecordingTransport;
let rest: RESTClient;
let discovery: DiscoveryClient;
beforeAll(async () => {
  server = await startApiServer({ memory: true });
});
afterAll(() => server.stop());
beforeEach(() => {
  transport = new RecordingTransport(
    new InProcessTransport(server.transport({ username: 'me', groups: ['system:masters'] })),
  );
  rest = new RESTClient(transport);
  discovery = new DiscoveryClient(rest);
});

describe('DiscoveryClient', () => {
  it('returns the version of the server', async () => {
    expect((await discovery.serverVersion()).gitVersion).toMatch(/^v1\.36\./);
  });

  it('reads groups and resources with two requests, the core group first', async () => {
    const { groups, resourceLists, failure } = await discovery.serverGroupsAndResources();
    expect(transport.requests.sort()).toEqual(['GET /api 200', 'GET /apis 200']);
    expect(groups[0]).toMatchObject({ name: '', preferredVersion: { groupVersion: 'v1' } });
    expect(groups.map(({ name }) => name)).toContain('apps');
    expect(resourceLists[0]?.resources.map(({ name }) => name)).toContain('pods/log');
    expect(failure).toBeUndefined();
  });

  it('reads the same with unaggregated discovery', async () => {
    const withoutHashes = (lists: readonly { groupVersion: string; resources: { name: string }[] }[]): unknown =>
      lists.map(({ groupVersion, resources }) => [groupVersion, resources.map(({ name }) => name).sort()]);
    const legacy = new DiscoveryClient(rest, { legacyOnly: true });
    const [one, other] = [await discovery.serverGroupsAndResources(), await legacy.serverGroupsAndResources()];
    expect(withoutHashes(other.resourceLists)).toEqual(withoutHashes(one.resourceLists));
    expect(other.groups.map(({ name, versions }) => [name, versions])).toEqual(
      one.groups.map(({ name, versions }) => [name, versions]),
    );
    expect(transport.requests).toContain('GET /apis/apps/v1 200');
  });

  it('accepts both versions of aggregated discovery, and excludes peers only with `withoutPeers`', async () => {
    await discovery.groups();
    const v2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const rest2 = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
    expect(transport.headers[0]?.accept).toBe(`${v2},${rest2}`);
    await new DiscoveryClient(rest, { withoutPeers: true }).groups();
    expect(transport.headers[2]?.accept).toBe(`${v2};profile=nopeer,${v2},${rest2}`);
  });

  it('returns the resources of a group version, and rejects with NotFound for an unknown one', async () => {
    const { resources } = await discovery.resourcesFor('apps/v1');
    expect(resources.find(({ name }) => name === 'deployments')).toMatchObject({ kind: 'Deployment' });
    await expect(discovery.resourcesFor('nope/v1')).rejects.toSatisfy(isNotFound);
    await expect(discovery.resourcesFor('')).rejects.toThrow("groupVersion shouldn't be empty");
  });

  it('lists every resource once, in the preferred version', async () => {
    const { resourceLists } = await discovery.preferredResources();
    const versionsOf = (resource: string): string[] =>
      resourceLists
        .filter(({ resources }) => resources.some(({ name }) => name === resource))
        .map((it) => it.groupVersion);
    expect(versionsOf('horizontalpodautoscalers')).toEqual(['autoscaling/v2']);
    expect(versionsOf('events')).toEqual(['v1', 'events.k8s.io/v1']);
    expect(versionsOf('pods/log')).toEqual([]);
    const namespaced = await discovery.preferredNamespacedResources();
    expect(namespaced.resourceLists.flatMap(({ resources }) => resources).every((it) => it.namespaced)).toBe(true);
    const watched = filteredBy(resourceLists, supportsAllVerbs('list', 'watch'));
    expect(watched.flatMap(({ resources }) => resources.map(({ name }) => name))).not.toContain('tokenreviews');
  });

  it('tells whether the server has a resource and a version', async () => {
    const resource = { group: 'apps', version: 'v1', resource: 'deployments' };
    expect(await isResourceEnabled(discovery, resource)).toBe(true);
    expect(await isResourceEnabled(discovery, { ...resource, resource: 'nope' })).toBe(false);
    expect(await isResourceEnabled(discovery, { ...resource, version: 'v9' })).toBe(false);
    expect(await serverSupportsVersion(discovery, { group: 'apps', version: 'v1' })).toBe(true);
    expect(await serverSupportsVersion(discovery, { group: 'apps', version: 'v9' })).toBe(false);
  });

  it('reads OpenAPI', async () => {
    const { swagger, definitions } = await discovery.openAPIV2();
    expect(swagger).toBe('2.0');
    expect(Object.keys(definitions ?? {})).toContain('io.k8s.api.core.v1.Pod');
    const paths = await discovery.openAPIV3();
    const apps = paths.get('apis/apps/v1');
    expect(apps?.serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=\w+$/);
    expect((await apps?.document())?.components?.schemas).toHaveProperty(['io.k8s.api.apps.v1.Deployment']);
  });
});

describe('CachedDiscovery', () => {
  it('shares one request between concurrent callers and caches the result', async () => {
    const cached = new CachedDiscovery(discovery);
    expect(cached.fresh()).toBe(false);
    const gone = new AbortController();
    const impatient = cached.groups({ signal: gone.signal });
    const others = Promise.all([cached.serverGroupsAndResources(), cached.resourcesFor('v1')]);
    gone.abort(new Error('no time'));
    await expect(impatient).rejects.toThrow('no time');
    const [all, core] = await others;
    expect(all.resourceLists[0]).toBe(core);
    expect((await cached.preferredResources()).resourceLists.length).toBe(all.resourceLists.length);
    expect(transport.requests).toHaveLength(2);
    expect(cached.fresh()).toBe(true);
  });

  it('revalidates with the ETag after invalidate', async () => {
    const cached = new CachedDiscovery(discovery);
    await cached.groups();
    cached.invalidate();
    expect(cached.fresh()).toBe(false);
    expect((await cached.groups()).map(({ name }) => name)).toContain('apps');
    expect(transport.requests.slice(2).sort()).toEqual(['GET /api 304', 'GET /apis 304']);
  });

  it('does not cache failures', async () => {
    const cached = new CachedDiscovery(discovery);
    transport.answers.set('/apis', { status: 500, body: 'broken' });
    await expect(cached.groups()).rejects.toThrow();
    expect(cached.fresh()).toBe(false);
    transport.answers.clear();
    expect(await cached.groups()).not.toEqual([]);
    expect(cached.fresh()).toBe(true);
  });

  it('reads discovery once more for an unknown group version', async () => {
    const cached = new CachedDiscovery(discovery);
    await expect(cached.resourcesFor('cached.example.com/v1')).rejects.toSatisfy(isNotFound);
    expect(transport.requests).toHaveLength(2);
    await defineCronTabs(rest, 'cached.example.com');
    transport.requests.length = 0;
    const { resources } = await cached.resourcesFor('cached.example.com/v1');
    expect(resources.map(({ name }) => name)).toEqual(['crontabs', 'crontabs/status', 'crontabs/scale']);
    await expect(cached.resourcesFor('nope/v1')).rejects.toSatisfy(isNotFound);
    expect(transport.requests.sort()).toEqual(['GET /api 304', 'GET /api 304', 'GET /apis 200', 'GET /apis 304']);
  });

  it('caches OpenAPI documents until their hash changes', async () => {
    const cached = new CachedDiscovery(discovery);
    const read = async () => (await cached.openAPIV3()).get('apis/apps/v1')?.document();
    const [first, second] = await Promise.all([read(), read()]);
    expect(second).toBe(first);
    cached.invalidate();
    expect(await read()).toBe(first);
    expect(transport.requests.map((it) => it.replace(/hash=\w+/, 'hash'))).toEqual([
      'GET /openapi/v3 200',
      'GET /openapi/v3/apis/apps/v1?hash 200',
      'GET /openapi/v3 200',
    ]);
  });
});

describe('DeferredRESTMapper', () => {
  it('maps names and kinds', async () => {
    const mapper = new DeferredRESTMapper(new CachedDiscovery(discovery));
    expect(transport.requests).toEqual([]);
    expect(`${await mapper.resourceFor(GroupVersionResource.of('', '', 'deploy'))}`).toBe(
      'apps/v1, Resource=deployments',
    );
    expect(`${await mapper.kindFor(GroupVersionResource.of('', '', 'events'))}`).toBe('/v1, Kind=Event');
    expect((await mapper.restMapping(GroupKind.of('', 'Node'))).scope).toBe('root');
    expect((await mapper.mappingForArg('sts')).kind.kind).toBe('StatefulSet');
    expect((await mapper.resourcesFor(GroupVersionResource.of('', '', 'events'))).length).toBe(2);
    expect((await mapper.kindsFor(GroupVersionResource.of('', '', 'hpa'))).length).toBe(2);
    expect((await mapper.restMappings(GroupKind.of('autoscaling', 'HorizontalPodAutoscaler'))).length).toBe(2);
    expect(await mapper.resourceSingularizer('pods')).toBe('pod');
    expect((await mapper.expandCategory('all'))?.map(String)).toContain('deployments.apps');
    expect(transport.requests).toHaveLength(2);
  });

  it('finds a kind that was defined after it had read discovery', async () => {
    const mapper = new DeferredRESTMapper(new CachedDiscovery(discovery));
    const kind = GroupKind.of('mapped.example.com', 'CronTab');
    await expect(mapper.restMapping(kind)).rejects.toThrow(NoKindMatchError);
    expect(transport.requests).toHaveLength(2);
    await defineCronTabs(rest, 'mapped.example.com');
    transport.requests.length = 0;
    const found = await Promise.all([mapper.restMapping(kind), mapper.mappingForArg('ct.mapped.example.com')]);
    expect(found.map(({ resource }) => resource.resource)).toEqual(['crontabs', 'crontabs']);
    expect(transport.requests.sort()).toEqual(['GET /api 304', 'GET /apis 200']);
    await expect(mapper.restMapping(GroupKind.of('nope', 'Nope'))).rejects.toThrow(
      'no matches for kind "Nope" in group "nope"',
    );
    expect(transport.requests).toHaveLength(4);
  });
});
