import type { ConfigMap } from '@coxswain/api/core/v1';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ResourceInterface } from '../../src/rest/index.ts';
import { RESTClient } from '../../src/rest/index.ts';
import type { Transport } from '../../src/transport/index.ts';
import { newTransport } from '../../src/transport/new-transport.ts';
import { startTestCluster, type TestCluster } from '../cluster.ts';
import { fastClock } from './fast-clock.ts';
import { type Fault, FaultProxy, type SeenRequest } from './fault-proxy.ts';
import { disorder, versions, WatchedInformer } from './watched-informer.ts';

/*
 * An informer behind a fault-injecting proxy: after every fault its cache equals the server's objects, and it sent no
 * more requests than necessary. The client's clock is fast, so that backing off takes no real time.
 */

const status = (code: number, reason: string): string =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message: 'made up', code });
const errorEvent = (code: number, reason: string): string => `{"type":"ERROR","object":${status(code, reason)}}\n`;
const answer = (code: number, reason: string, headers?: Record<string, string>): Fault => ({
  kind: 'answer',
  status: code,
  body: status(code, reason),
  ...(headers && { headers }),
});

interface Case {
  readonly fault: Fault;
  /** Number of successive requests with the fault. Three by default. */
  readonly times?: number;
}

const cases: Record<string, Case> = {
  'a connection that is closed before the response': { fault: { kind: 'refuse' } },
  'a connection that is reset at once': { fault: { kind: 'reset', afterBytes: 0 } },
  'a connection that is reset in the middle of an event': { fault: { kind: 'reset', afterBytes: 700 } },
  'a connection that is cut in the middle of an event': { fault: { kind: 'cut', afterBytes: 350 } },
  'a response that ends normally in the middle of an event': { fault: { kind: 'truncate', afterBytes: 500 } },
  'an empty response': { fault: { kind: 'truncate', afterBytes: 0 } },
  'a connection that falls silent': { fault: { kind: 'stall', afterBytes: 400 }, times: 1 },
  'a connection without a response': { fault: { kind: 'stall', afterBytes: 0 }, times: 1 },
  'garbage between events': { fault: { kind: 'inject', afterBytes: 0, text: '{"type":"MODIF\n' } },
  'events of an unknown type': {
    fault: { kind: 'inject', afterBytes: 0, text: '{"type":"EXPLODED","object":{}}\n' },
  },
  'a login page': {
    fault: { kind: 'answer', status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Log in</h1>' },
  },
  'a watch with a 410 ERROR event': {
    fault: { kind: 'inject', afterBytes: 0, text: errorEvent(410, 'Expired') },
  },
  'a watch with a 500 ERROR event': {
    fault: { kind: 'inject', afterBytes: 0, text: errorEvent(500, 'InternalError') },
  },
  '410 Gone': { fault: answer(410, 'Expired') },
  '429 with Retry-After': { fault: answer(429, 'TooManyRequests', { 'retry-after': '1' }) },
  '429 without Retry-After': { fault: answer(429, 'TooManyRequests') },
  '500': { fault: answer(500, 'InternalError') },
  '503 of a proxy': {
    fault: { kind: 'answer', status: 503, headers: { 'content-type': 'text/plain' }, body: 'later' },
  },
  '401 for a while': { fault: answer(401, 'Unauthorized') },
  '403 for a while': { fault: answer(403, 'Forbidden') },
};

let cluster: TestCluster;
let configMaps: Omit<ResourceInterface<ConfigMap>, 'updateStatus'>;
let proxy: FaultProxy;
let throughProxy: Transport;
let watched: WatchedInformer;

beforeAll(async () => {
  cluster = await startTestCluster();
  configMaps = cluster.clients.core.v1.configMaps(cluster.namespace);
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  proxy = await FaultProxy.start(cluster.transport);
  const clock = fastClock(200);
  throughProxy = await newTransport({ server: proxy.url, clock, qps: 0 });
  for (let i = 0; i < 20; i++) await configMaps.create(configMap(`old-${i}`));
  watched = new WatchedInformer(new RESTClient(throughProxy), cluster.namespace, clock);
});
afterEach(async () => {
  await watched.stop();
  await throughProxy.close();
  await proxy.stop();
  await configMaps.deleteCollection();
});

const configMap = (name: string): ConfigMap => ({ metadata: { name }, data: { text: 'x'.repeat(100) } });

/** Makes one change of each kind. */
async function change(round: string): Promise<void> {
  await configMaps.create(configMap(`new-${round}`));
  await configMaps.patch('old-1', 'merge', { data: { round } });
  await configMaps.patch('old-2', 'merge', { data: { round } });
  await configMaps.delete('old-3');
  await configMaps.create(configMap('old-3'));
  await configMaps.delete(`old-${10 + Number(round)}`);
}

const isForUs = ({ url }: SeenRequest): boolean => url.includes('/configmaps');

describe.each(Object.entries(cases))('%s', (_, { fault, times = 3 }) => {
  it('does not prevent the initial list', async () => {
    let left = times;
    // Set before the informer's first request: it has not run yet.
    proxy.plan = (request) => (isForUs(request) && left-- > 0 ? fault : undefined);
    await watched.informer.whenSynced();
    expect(left).toBeLessThanOrEqual(0);
    await watched.becomes(versions((await configMaps.list()).items));
    expect(proxy.requests.length).toBeLessThanOrEqual(3 * times + 4);
  });

  it('does not make a watch lose a change', async () => {
    await watched.informer.whenSynced();
    await change('0');
    await watched.becomes(versions((await configMaps.list()).items));
    const before = proxy.requests.length;
    let left = times;
    proxy.plan = (request) => (isForUs(request) && left-- > 0 ? fault : undefined);
    proxy.resetAll();
    await change('1');
    await change('2');
    await watched.becomes(versions((await configMaps.list()).items));
    // Changes after the fault are received too.
    await change('3');
    await watched.becomes(versions((await configMaps.list()).items));
    expect(left).toBeLessThanOrEqual(0);
    for (const sightings of watched.sightings.values()) expect(disorder(sightings)).toBeUndefined();
    expect(watched.errors.length).toBeGreaterThan(0);
    expect(proxy.requests.length - before).toBeLessThanOrEqual(3 * times + 4);
  });

  it('leaves no connection behind', async () => {
    let left = times;
    await watched.informer.whenSynced();
    proxy.plan = (request) => (isForUs(request) && left-- > 0 ? fault : undefined);
    proxy.resetAll();
    await change('4');
    await watched.becomes(versions((await configMaps.list()).items));
    await watched.stop();
    await throughProxy.close();
    await proxy.whenUnconnected();
  });
});
