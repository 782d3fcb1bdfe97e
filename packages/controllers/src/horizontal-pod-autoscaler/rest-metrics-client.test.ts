import { parse, Selector } from '@coxswain/apimachinery/labels';
import type { APIGroup } from '@coxswain/apimachinery/meta';
import { GroupVersionKind, GroupVersionResource } from '@coxswain/apimachinery/meta';
import { FakeClock, RESTClient } from '@coxswain/client';
import { describe, expect, it } from 'vitest';
import { RestMetricsClient } from './rest-metrics-client.ts';

const web = parse('app=web');
const at = '2026-01-01T00:00:10Z';
const timestamp = Date.parse(at);

/** Returns a client and a list of its requests. Every request is answered with these items. */
function start(items: readonly object[], versions = ['v1beta1', 'v1beta2'], preferred = 'v1beta2') {
  const asked: string[] = [];
  const clock = new FakeClock();
  const group: APIGroup = {
    name: 'custom.metrics.k8s.io',
    versions: versions.map((version) => ({ version, groupVersion: `custom.metrics.k8s.io/${version}` })),
    preferredVersion: { version: preferred, groupVersion: `custom.metrics.k8s.io/${preferred}` },
  };
  let discoveries = 0;
  const rest = new RESTClient({
    send: async ({ url }) => {
      asked.push(decodeURIComponent(url));
      const bytes = new TextEncoder().encode(JSON.stringify({ kind: 'List', apiVersion: 'v1', items }));
      const body = {
        bytes: async () => bytes,
        chunks: async function* () {
          yield bytes;
        },
        cancel() {},
      };
      return { status: 200, headers: { 'content-type': 'application/json' }, body };
    },
    openWebSocket: () => Promise.reject(new Error('none')),
    close: async () => {},
  });
  const client = new RestMetricsClient({
    rest,
    discovery: {
      groups: async () => {
        discoveries++;
        return [group];
      },
    },
    mapper: {
      restMapping: async ({ group: apiGroup, kind }) => ({
        resource: GroupVersionResource.of(apiGroup, 'v1', `${kind.toLowerCase()}s`),
        kind: GroupVersionKind.of(apiGroup, 'v1', kind),
        scope: 'namespace',
      }),
    },
    clock,
    versionTtlMs: 15_000,
  });
  return { client, asked, clock, discoveries: () => discoveries };
}

describe('RestMetricsClient', () => {
  it('reads resource metrics', async () => {
    const containers = [
      { name: 'a', usage: { cpu: '100m', memory: '1Ki' } },
      { name: 'b', usage: { cpu: '1500n' } },
    ];
    const items = [
      { metadata: { name: 'p' }, timestamp: at, window: '30s', containers },
      { metadata: { name: 'q' }, timestamp: at, window: '1m0s', containers: [] },
    ];
    const { client, asked } = start(items);
    const measured = { timestamp, windowMs: 30_000 };
    expect(await client.resourceMetric('cpu', 'ns', web)).toEqual(new Map([['p', { value: 101n, ...measured }]]));
    expect(await client.resourceMetric('memory', 'ns', web)).toEqual(new Map());
    expect(await client.resourceMetric('memory', 'ns', web, 'a')).toEqual(
      new Map([['p', { value: 1_024_000n, ...measured }]]),
    );
    expect(asked[0]).toBe('/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods?labelSelector=app=web');
  });

  it('reads pod metrics', async () => {
    const items = [
      { describedObject: { name: 'p' }, timestamp: at, windowSeconds: 20, value: '2' },
      { describedObject: { name: 'q' }, timestamp: at, value: '500m' },
    ];
    const { client, asked } = start(items);
    expect(await client.podsMetric('hits', 'ns', web, parse('verb=GET'))).toEqual(
      new Map([
        ['p', { value: 2000n, timestamp, windowMs: 20_000 }],
        ['q', { value: 500n, timestamp, windowMs: 60_000 }],
      ]),
    );
    expect(asked).toEqual([
      '/apis/custom.metrics.k8s.io/v1beta2/namespaces/ns/pods/*/hits?labelSelector=app=web&metricLabelSelector=verb=GET',
    ]);
  });

  it('reads object metrics in the served version, which it caches for a while', async () => {
    const { client, asked, clock, discoveries } = start([{ describedObject: {}, value: '3' }], ['v1beta1'], 'v1beta1');
    const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'main' };
    expect(await client.objectMetric('hits', 'ns', ingress, Selector.nothing)).toBe(3000n);
    expect(await client.objectMetric('hits', 'ns', { kind: 'Namespace', name: 'ns' }, Selector.nothing)).toBe(3000n);
    expect(asked).toEqual([
      '/apis/custom.metrics.k8s.io/v1beta1/namespaces/ns/ingresss.networking.k8s.io/main/hits',
      '/apis/custom.metrics.k8s.io/v1beta1/namespaces/ns/metrics/hits',
    ]);
    expect(discoveries()).toBe(1);
    await clock.advance(15_000);
    await client.objectMetric('hits', 'ns', ingress, Selector.nothing);
    expect(discoveries()).toBe(2);
  });

  it('reads external metrics', async () => {
    const { client, asked } = start([{ value: '3' }, { value: '1500m' }]);
    expect(await client.externalMetric('queue', 'ns', web)).toEqual([3000n, 1500n]);
    expect(asked).toEqual(['/apis/external.metrics.k8s.io/v1beta1/namespaces/ns/queue?labelSelector=app=web']);
  });

  it('rejects without metrics', async () => {
    const { client } = start([]);
    const service = { apiVersion: 'v1', kind: 'Service', name: 's' };
    await expect(client.resourceMetric('cpu', 'ns', web)).rejects.toThrow(
      'no metrics returned from resource metrics API',
    );
    await expect(client.podsMetric('hits', 'ns', web, web)).rejects.toThrow(
      'no metrics returned from custom metrics API',
    );
    await expect(client.externalMetric('q', 'ns', web)).rejects.toThrow(
      'no metrics returned from external metrics API',
    );
    await expect(client.objectMetric('hits', 'ns', service, web)).rejects.toThrow(
      'unable to fetch metrics from custom metrics API: the custom metrics API server returned 0 results when we asked for exactly one',
    );
    const old = start([], ['v1alpha1'], 'v1alpha1');
    await expect(old.client.podsMetric('hits', 'ns', web, web)).rejects.toThrow(
      'unable to fetch metrics from custom metrics API: no known available metric versions found',
    );
  });
});
