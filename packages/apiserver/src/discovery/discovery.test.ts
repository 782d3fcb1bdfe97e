import { Catalogue, FeatureGates } from '@coxswain/api';
import { ApiError, decodeProtobufMessage } from '@coxswain/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ContextHandler } from '../http/request-context.ts';
import { DiscoveryRegistry, discoveryHandler, pathIndex, servedResources } from './index.ts';
import { bytesOf, contextFor } from './request-context.test-data.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const widgets = {
  group: 'example.com',
  version: 'v1',
  resources: [{ name: 'widgets', singularName: 'widget', kind: 'Widget', namespaced: true, verbs: 'get list' }],
};

let registry: DiscoveryRegistry;
let handle: ContextHandler;

beforeEach(() => {
  registry = new DiscoveryRegistry(servedResources(Catalogue.builtIn(), new Map(), FeatureGates.defaults));
  handle = discoveryHandler({ registry, serverAddress: () => '192.0.2.2:6443' });
});

const get = (path: string, accept = '', headers: Record<string, string> = {}) =>
  handle(contextFor(path, { headers: { ...(accept && { accept }), ...headers } }));
const json = async (path: string, accept = 'application/json'): Promise<Record<string, unknown>> =>
  JSON.parse(bytesOf(await get(path, accept)).toString());

describe('discovery documents', () => {
  it('contain the address of the server', async () => {
    expect(bytesOf(await get('/api')).toString()).toBe(
      '{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"192.0.2.2:6443"}]}\n',
    );
  });

  it('list the versions of a group, the preferred one first', async () => {
    expect(bytesOf(await get('/apis/autoscaling/')).toString()).toBe(
      '{"kind":"APIGroup","apiVersion":"v1","name":"autoscaling","versions":[{"groupVersion":"autoscaling/v2","version":"v2"},{"groupVersion":"autoscaling/v1","version":"v1"}],"preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"}}\n',
    );
  });

  it('have an apiVersion except in the core group', async () => {
    expect(await json('/api/v1')).not.toHaveProperty('apiVersion');
    expect(await json('/apis/apps/v1')).toHaveProperty('apiVersion', 'v1');
  });

  it('contain the storage version hash', async () => {
    const { resources } = await json('/apis/apps/v1');
    expect(resources).toContainEqual(
      expect.objectContaining({ name: 'controllerrevisions', storageVersionHash: '85nkx63pcBU=' }),
    );
  });

  it('are indented for curl and with ?pretty=true', async () => {
    const response = await get('/apis/apps', '', { 'user-agent': 'curl/8' });
    expect(bytesOf(response).toString()).toMatch(/^{\n {2}"kind": "APIGroup",\n/);
    expect(bytesOf(await handle(contextFor('/apis/apps?pretty=true'))).toString()).toMatch(/^{\n/);
  });

  it('are available as YAML', async () => {
    const response = await get('/apis/apps', 'application/yaml');
    expect(response.headers['content-type']).toBe('application/yaml');
    expect(bytesOf(response).toString()).toMatch(/^apiVersion: v1\nkind: APIGroup\nname: apps\n/);
  });

  it('are available as protobuf, with an empty apiVersion where they have none', async () => {
    const bytes = bytesOf(await get('/api', 'application/vnd.kubernetes.protobuf'));
    expect(bytes.subarray(0, 21).toString('hex')).toBe('6b3873000a0f0a00120b41504956657273696f6e73');
    const schema = Catalogue.builtIn().type('meta.v1.APIVersions');
    expect(decodeProtobufMessage(schema, bytes, 23, bytes.length - 4)).toMatchObject({ versions: ['v1'] });
  });

  it.each(['/apis/nope', '/apis/nope/v1', '/apis/apps/v1/deployments'])('%s is a plain 404', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(bytesOf(response).toString()).toBe('404 page not found\n');
  });

  const refused: readonly [string, string, string, string, number, string][] = [
    [
      'an unknown version of a group',
      'GET',
      '/apis/apps/v9',
      '',
      404,
      'the server could not find the requested resource',
    ],
    ['another method', 'POST', '/api', '', 405, 'the server does not allow this method on the requested resource'],
    [
      'an unsupported media type at a route',
      'GET',
      '/apis/apps/v1',
      'text/html',
      406,
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'an unsupported media type at /apis, which is no route',
      'GET',
      '/apis',
      'text/html',
      406,
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'the aggregated form in version v2beta1',
      'GET',
      '/apis',
      aggregated.replace('v2', 'v2beta1'),
      406,
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      'the aggregated form of a group',
      'GET',
      '/apis/apps',
      aggregated,
      406,
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
  ];
  it.each(refused)('refuse %s', async (_, method, path, accept, code, message) => {
    const error: unknown = await handle(contextFor(path, { method, headers: { accept } })).catch((cause) => cause);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code, message });
  });
});

describe('the aggregated document', () => {
  it('has upstream’s ETag for the same resources', async () => {
    const response = await get('/apis', aggregated);
    expect(response.headers).toEqual({
      'content-type': aggregated,
      etag: '"A74552DF419C4697E3A22F67B8FE55FD8F2CC33F6134FF206B16341598294CDE9896C7F67B2819217E6BB70E74F97FCC864DDFCDB02FDA565699CC7D6E3CC377"',
      vary: 'Accept',
      'cache-control': 'public',
    });
  });

  it('is a 304 when If-None-Match has its ETag', async () => {
    const { headers } = await get('/api', aggregated);
    const again = await get('/api', aggregated, { 'if-none-match': String(headers.etag) });
    expect(again).toMatchObject({ status: 304, headers: { etag: headers.etag } });
    expect(again.body).toBeUndefined();
    expect((await get('/api', aggregated, { 'if-none-match': `W/${headers.etag}` })).status).toBe(200);
  });

  it('is preferred for a client that also accepts older forms', async () => {
    const accept = `${aggregated},${aggregated.replace('v2', 'v2beta1')},application/json`;
    expect((await get('/apis', accept)).headers['content-type']).toBe(aggregated);
    expect((await get('/apis/', accept)).headers['content-type']).toBe('application/json');
  });
});

describe('a group version added at run time', () => {
  it('is visible everywhere at once, and gone at once when removed', async () => {
    const before = registry.aggregatedGroups().etag;
    let changes = 0;
    const stop = registry.onChange(() => changes++);
    registry.addGroupVersion(widgets);
    expect(registry.aggregatedGroups().etag).not.toBe(before);
    expect(await json('/apis/example.com/v1')).toMatchObject({ resources: [{ name: 'widgets' }] });
    expect(registry.paths()).toContain('/apis/example.com/v1');
    registry.removeGroupVersion('example.com', 'v1');
    expect(registry.aggregatedGroups().etag).toBe(before);
    expect((await get('/apis/example.com')).status).toBe(404);
    stop();
    registry.addGroupVersion(widgets);
    expect(changes).toBe(2);
  });

  it('comes after the built-in groups, its versions in Kubernetes’ order', () => {
    for (const version of ['v1beta1', 'v2', 'v1', 'v1alpha1']) registry.addGroupVersion({ ...widgets, version });
    const groups = registry.namedGroups();
    expect(groups.at(-1)).toMatchObject({ group: 'example.com' });
    expect(groups.at(-1)?.versions.map(({ version }) => version)).toEqual(['v2', 'v1', 'v1beta1', 'v1alpha1']);
  });

  it('is ordered by its priority', () => {
    registry.addGroupVersion(widgets, { group: 19_000, version: 1 });
    registry.addGroupVersion({ ...widgets, version: 'v1alpha1' }, { group: 100, version: 50 });
    const [first, second] = registry.namedGroups();
    expect(first?.group).toBe('apiregistration.k8s.io');
    expect(second?.versions.map(({ version }) => version)).toEqual(['v1alpha1', 'v1']);
  });
});

it('the index of paths lists every path once, sorted', async () => {
  const response = await pathIndex(
    () => ['/version', '/apis'],
    () => ['/apis', '/api'],
  )();
  expect(bytesOf(response).toString()).toBe('{\n  "paths": [\n    "/api",\n    "/apis",\n    "/version"\n  ]\n}');
});
