import { describe, expect, it } from 'vitest';
import { InProcessTransport } from '../transport/in-process-transport.ts';
import type { RequestBuilder } from './request-builder.ts';
import { RESTClient } from './rest-client.ts';

const rest = new RESTClient(new InProcessTransport(async () => ({ status: 200, headers: {} })));

describe('RequestBuilder', () => {
  const paths: Record<string, RequestBuilder> = {
    '/api/v1/pods': rest.get().resource('pods'),
    '/api/v1/namespaces/x/pods/y': rest.get().namespace('x').resource('pods').name('y'),
    '/apis/apps/v1/namespaces/x/deployments/y/status': rest
      .put()
      .apiVersion('apps/v1')
      .namespace('x')
      .resource('deployments')
      .name('y')
      .subresource('status'),
    '/api/v1/namespaces/x/services/https:y:1/proxy/a%20b/c': rest
      .get()
      .namespace('x')
      .resource('services')
      .name('https:y:1')
      .subresource('proxy')
      .suffix('a b', 'c'),
    '/healthz/ping': rest.get().absPath('/healthz', 'ping'),
    '/openapi/v2': rest.get().absPath('openapi/v2'),
    '/': rest.get().absPath('/'),
  };
  it.each(Object.entries(paths))('%s', (path, builder) => {
    expect(decodeURIComponent(builder.toRequest().path)).toBe(decodeURIComponent(path));
  });

  const refused: Record<string, () => unknown> = {
    'resource name may not be empty': () => rest.get().name(''),
    'invalid resource name "..": [may not be \'..\']': () => rest.get().name('..'),
    'invalid namespace "a/b": [may not contain \'/\']': () => rest.get().namespace('a/b'),
    'invalid subresource "a%b": [may not contain \'%\']': () => rest.get().subresource('a%b'),
    'an empty namespace may not be set during creation': () => rest.post().namespace('').resource('pods').toRequest(),
    'an empty namespace may not be set when a resource name is provided': () =>
      rest.get().namespace('').resource('pods').name('x').toRequest(),
    'unexpected GroupVersion string: a/b/c': () => rest.get().apiVersion('a/b/c'),
  };
  it.each(Object.entries(refused))('throws: %s', (message, build) => {
    expect(build).toThrow(message);
  });

  it('collects parameters, headers and a body', () => {
    const { signal } = new AbortController();
    const request = rest
      .patch('application/merge-patch+json')
      .namespace('x')
      .resource('pods')
      .name('y')
      .params({ fieldManager: 'me', force: undefined, dryRun: ['All'] })
      .param('dryRun', 'None')
      .setHeader('X-A', '1', '2')
      .body({ a: null })
      .timeout(1500)
      .signal(signal)
      .toRequest();
    expect(request).toMatchObject({
      method: 'PATCH',
      query: { fieldManager: ['me'], dryRun: ['All', 'None'] },
      headers: { 'content-type': 'application/merge-patch+json', 'x-a': ['1', '2'] },
      body: { a: null },
      timeoutMs: 1500,
      signal,
      name: 'y',
    });
    expect(String(request.resource)).toBe('pods');
  });

  it('sends the request', async () => {
    const urls: string[] = [];
    const bytes = new TextEncoder().encode('{"kind":"Pod"}');
    const echo = new RESTClient(
      new InProcessTransport(async ({ method, url }) => {
        urls.push(`${method} ${url}`);
        return { status: 200, headers: {}, body: bytes };
      }),
    );
    const pods = () => echo.get().namespace('x').resource('pods');
    expect(await pods().name('y').do()).toEqual({ kind: 'Pod' });
    expect(await pods().name('y').raw()).toEqual(bytes);
    expect(await (await pods().name('y').subresource('log').stream()).bytes()).toEqual(bytes);
    (await pods().param('resourceVersion', '5').watch()).stop();
    const path = '/api/v1/namespaces/x/pods';
    expect(urls).toEqual([
      `GET ${path}/y`,
      `GET ${path}/y`,
      `GET ${path}/y/log`,
      `GET ${path}?resourceVersion=5&watch=true`,
    ]);
  });
});
