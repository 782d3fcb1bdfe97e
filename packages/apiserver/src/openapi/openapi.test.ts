import { gunzipSync } from 'node:zlib';
import { Catalogue, FeatureGates } from '@coxswain/api';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { servedResources } from '../discovery/index.ts';
import { bytesOf, contextFor } from '../discovery/request-context.test-data.ts';
import type { ContextHandler } from '../http/request-context.ts';
import { BuiltInOpenApi, type OpenApiProvider, OpenApiService, openApiHandler } from './index.ts';

const catalogue = Catalogue.builtIn();
const served = servedResources(catalogue, new Map(), FeatureGates.defaults);
const protobuf = (version: string, separator: string) =>
  `application/com.github.proto-openapi.spec.${version}${separator}v1.0+protobuf`;

/** A provider like that of a custom resource. */
const widgets = (hash: string): OpenApiProvider => ({
  documents: async () => new Map([['apis/example.com/v1', hash]]),
  v3: async () => ({ openapi: '3.0.0', info: { title: hash } }),
  v2: async () => ({
    paths: { '/apis/example.com/v1/': {} },
    definitions: { 'com.example.Widget': {} },
    parameters: {},
  }),
});

const newService = (): OpenApiService => {
  const service = new OpenApiService(() => new Date(0));
  service.add(new BuiltInOpenApi(catalogue, served));
  return service;
};
const get = (handle: ContextHandler, url: string, headers: Record<string, string> = {}) =>
  handle(contextFor(url, { headers }));

describe('OpenAPI v3', () => {
  let handle: ContextHandler;
  let url: string;
  let hash: string;

  beforeAll(async () => {
    handle = openApiHandler(newService(), () => new Date('2026-02-28T12:00:00Z'));
    const index = JSON.parse(bytesOf(await get(handle, '/openapi/v3')).toString()) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    url = index.paths['apis/apps/v1']!.serverRelativeURL;
    hash = url.split('=')[1]!;
    expect(Object.keys(index.paths).slice(0, 5)).toEqual([
      '.well-known/openid-configuration',
      'api',
      'api/v1',
      'apis',
      'apis/admissionregistration.k8s.io',
    ]);
  });

  it('has hashes that are always the same for the same build', async () => {
    expect(url).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
    expect((await newService().v3Index()).get('apis/apps/v1')).toBe(hash);
    const fewer = new OpenApiService(() => new Date(0));
    fewer.add(
      new BuiltInOpenApi(
        catalogue,
        served.map((each) => ({ ...each, resources: each.resources.slice(1) })),
      ),
    );
    expect((await fewer.v3Index()).get('apis/apps/v1')).not.toBe(hash);
  });

  it('lists the values of enums with their descriptions', async () => {
    const document = JSON.parse(bytesOf(await get(handle, '/openapi/v3/api/v1')).toString()) as {
      components: { schemas: Record<string, { properties: Record<string, { description: string }> }> };
    };
    const valuesOf = (type: string, field: string) => {
      const { description = '' } = document.components.schemas[`io.k8s.api.core.v1.${type}`]?.properties[field] ?? {};
      return description.split('\n\nPossible enum values:\n')[1]?.split('\n');
    };
    expect(valuesOf('PodSpec', 'restartPolicy')).toEqual([' - `"Always"`', ' - `"Never"`', ' - `"OnFailure"`']);
    expect(valuesOf('ServiceSpec', 'type')).toEqual(
      ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'].map((value) =>
        expect.stringMatching(`^ - \`"${value}"\` is .+\\.$`),
      ),
    );
  });

  it('lets clients cache documents requested by their hash', async () => {
    expect(await get(handle, url)).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'application/json',
        'cache-control': 'public, immutable',
        expires: 'Sun, 28 Feb 2027 12:00:00 UTC',
        etag: `"${hash}"`,
        vary: 'Accept',
      },
    });
    expect((await get(handle, '/openapi/v3/apis/apps/v1')).headers).toEqual({
      'content-type': 'application/json',
      etag: `"${hash}"`,
      'last-modified': 'Thu, 01 Jan 1970 00:00:00 GMT',
      vary: 'Accept',
    });
  });

  it('redirects from an outdated hash', async () => {
    const response = await get(handle, '/openapi/v3/apis/apps/v1?hash=AA');
    expect(response).toMatchObject({ status: 301, headers: { location: url, etag: `"${hash}"` } });
    expect(response.body).toBeUndefined();
  });

  it.each([
    ['the ETag', (tag: string) => `"${tag}"`, 304],
    ['a weak ETag', (tag: string) => `W/"${tag}"`, 304],
    ['the ETag among others', (tag: string) => `"x", "${tag}"`, 304],
    ['another ETag', () => '"x"', 200],
    ['the ETag without quotes', (tag: string) => tag, 200],
  ])('handles If-None-Match with %s', async (_, header, status) => {
    const response = await get(handle, '/openapi/v3/apis/apps/v1', { 'if-none-match': header(hash) });
    expect(response.status).toBe(status);
    expect(response.body === undefined).toBe(status === 304);
  });

  it.each([
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    [protobuf('v3', '@'), protobuf('v3', '.')],
    [protobuf('v3', '.'), protobuf('v3', '.')],
    [`application/json;q=0.1,${protobuf('v3', '@')};q=0.9`, protobuf('v3', '.')],
    ['text/html,application/json', 'application/json'],
  ])('responds to Accept %j with %s', async (accept, contentType) => {
    expect((await get(handle, '/openapi/v3/version', { accept })).headers['content-type']).toBe(contentType);
  });

  it('refuses other media types and paths', async () => {
    expect(await get(handle, '/openapi/v3/version', { accept: 'text/html' })).toEqual({
      status: 406,
      headers: { vary: 'Accept' },
    });
    expect(await get(handle, '/openapi/v3/apis/apps/v9')).toEqual({ status: 404, headers: {} });
    expect(await get(handle, '/openapi/v3/')).toEqual({ status: 404, headers: {} });
    expect(bytesOf(await get(handle, '/openapi')).toString()).toBe('404 page not found\n');
  });

  it('describes only what is served', async () => {
    const document = JSON.parse(bytesOf(await get(handle, '/openapi/v3/apis/apps/v1')).toString()) as {
      paths: Record<string, unknown>;
      components: { schemas: Record<string, Record<string, unknown>> };
    };
    expect(document.paths).toHaveProperty(['/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale']);
    expect(document.components.schemas['io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions']).toMatchObject({
      'x-kubernetes-group-version-kind': [
        { group: '', kind: 'DeleteOptions', version: 'v1' },
        { group: 'apps', kind: 'DeleteOptions', version: 'v1' },
      ],
    });
    expect(document.components.schemas).not.toHaveProperty(['io.k8s.api.core.v1.Node']);
  });
});

describe('OpenAPI v2', () => {
  it('is available as JSON, as protobuf, and compressed', async () => {
    const handle = openApiHandler(newService(), () => new Date(0));
    const plain = await get(handle, '/openapi/v2');
    const etag = plain.headers.etag;
    expect(plain.headers).toEqual({
      'content-type': 'application/json',
      vary: ['Accept-Encoding', 'Accept'],
      etag: expect.stringMatching(/^"[0-9A-F]{128}"$/),
      'last-modified': 'Thu, 01 Jan 1970 00:00:00 GMT',
    });
    expect(JSON.parse(bytesOf(plain).toString())).toMatchObject({ swagger: '2.0', info: { title: 'Kubernetes' } });
    const zipped = await get(handle, '/openapi/v2', { 'accept-encoding': 'br, gzip;q=0.5' });
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', etag });
    expect(gunzipSync(bytesOf(zipped)).equals(bytesOf(plain))).toBe(true);
    expect((await get(handle, '/openapi/v2', { 'accept-encoding': 'gzip;q=0' })).headers).not.toHaveProperty(
      'content-encoding',
    );
    const binary = await get(handle, '/openapi/v2', { accept: protobuf('v2', '@') });
    expect(binary.headers).toMatchObject({ 'content-type': protobuf('v2', '.'), etag });
    expect(bytesOf(binary).subarray(0, 5).toString('latin1')).toBe('\n\x032.0');
    expect((await get(handle, '/openapi/v2', { 'if-none-match': String(etag) })).status).toBe(304);
    expect((await get(handle, '/openapi/v2', { accept: 'text/html' })).status).toBe(406);
  });
});

describe('providers added and removed at run time', () => {
  let service: OpenApiService;
  beforeEach(() => {
    service = newService();
  });

  it('change the modification time of changed documents only', async () => {
    let now = new Date('2030-01-01T00:00:00Z');
    const timed = new OpenApiService(() => now);
    timed.add(new BuiltInOpenApi(catalogue, served));
    const handle = openApiHandler(timed, () => now);
    const since = { 'if-modified-since': 'Tue, 01 Jan 2030 00:00:00 GMT' };
    expect((await get(handle, '/openapi/v2', since)).status).toBe(304);
    expect((await get(handle, '/openapi/v3')).headers).toMatchObject({
      'last-modified': 'Tue, 01 Jan 2030 00:00:00 GMT',
    });
    now = new Date('2030-01-01T00:00:05Z');
    timed.add(widgets('AA'));
    expect((await get(handle, '/openapi/v2', since)).status).toBe(200);
    expect((await get(handle, '/openapi/v2', { ...since, 'if-none-match': '"of-another"' })).status).toBe(200);
    expect((await get(handle, '/openapi/v3/apis/apps/v1', since)).status).toBe(304);
    expect((await get(handle, '/openapi/v3')).headers).toMatchObject({
      'last-modified': 'Tue, 01 Jan 2030 00:00:05 GMT',
    });
  });

  it('are included in all documents at once, and removed at once', async () => {
    const before = await service.v2('json');
    const provider = widgets('AA');
    service.add(provider);
    expect((await service.v3Index()).get('apis/example.com/v1')).toBe('AA');
    const document = JSON.parse(Buffer.from((await service.v2('json')).bytes).toString()) as {
      paths: object;
      definitions: object;
    };
    expect(document.definitions).toHaveProperty(['com.example.Widget']);
    expect(document.definitions).toHaveProperty(['io.k8s.api.core.v1.Pod']);
    expect(Object.keys(document.paths)).toEqual(Object.keys(document.paths).sort());
    service.remove(provider);
    expect((await service.v3Index()).has('apis/example.com/v1')).toBe(false);
    expect((await service.v2('json')).etag).toBe(before.etag);
  });

  it('generate documents on request only, and only once', async () => {
    const provider = widgets('AA');
    const v3 = vi.spyOn(provider, 'v3');
    const v2 = vi.spyOn(provider, 'v2');
    service.add(provider);
    await service.v3Index();
    expect([v3.mock.calls.length, v2.mock.calls.length]).toEqual([0, 0]);
    const [first, second] = await Promise.all([1, 2].map(() => service.v3('apis/example.com/v1', 'json')));
    await service.v3('apis/example.com/v1', 'protobuf');
    expect(first?.bytes).toBe(second?.bytes);
    // A change of another provider does not regenerate the document, its own change does.
    service.add({ ...widgets('BB'), documents: async () => new Map([['apis/example.org/v1', 'BB']]) });
    await service.v3('apis/example.com/v1', 'json');
    expect(v3).toHaveBeenCalledTimes(1);
    vi.spyOn(provider, 'documents').mockResolvedValue(new Map([['apis/example.com/v1', 'CC']]));
    service.changed();
    expect((await service.v3('apis/example.com/v1', 'json'))?.etag).toBe('CC');
    expect(v3).toHaveBeenCalledTimes(2);
  });

  it('are called again after a failure', async () => {
    const provider = widgets('AA');
    vi.spyOn(provider, 'v3').mockRejectedValueOnce(new Error('not now'));
    service.add(provider);
    await expect(service.v3('apis/example.com/v1', 'json')).rejects.toThrow('not now');
    expect((await service.v3('apis/example.com/v1', 'json'))?.etag).toBe('AA');
  });
});
