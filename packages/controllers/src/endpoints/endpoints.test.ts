import type { Endpoints } from '@coxswain/api/core/v1';
import { newConflict, newInternalError } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { Network } from '../endpointslice/pods.test-data.ts';
import { endpointsController, newEndpointsController } from './index.ts';

let cluster: TestCluster;
let network: Network;
async function start(controller = endpointsController): Promise<void> {
  cluster = await TestCluster.start({
    controllers: [controller],
    server: { serviceClusterIpRange: ['10.0.0.0/24', 'fd00::/112'] },
  });
  network = new Network(cluster);
}
beforeEach(() => start());
afterEach(() => cluster.stop());

const client = () => cluster.clients.core.v1.endpoints('default');
const services = () => cluster.clients.core.v1.services('default');
const web = (): Promise<Endpoints> => client().get('web');
const addresses = async (name = 'web') =>
  (await client().get(name)).subsets?.map(({ addresses = [], notReadyAddresses = [] }) => [
    addresses.map(({ ip }) => ip),
    notReadyAddresses.map(({ ip }) => ip),
  ]);
const writes = (): string[] => cluster.spy.writes.map(({ method }) => method);
async function writesOf(act: () => Promise<unknown>): Promise<string[]> {
  const before = writes().length;
  await act();
  await cluster.advance(100, 10);
  return writes().slice(before);
}

describe('the Endpoints of a service', () => {
  it('exist without addresses and cause no further writes', async () => {
    const { metadata } = await network.service('web', {}, { labels: { team: 'blue' } });
    const created = await web();
    expect(created.metadata).toMatchObject({
      labels: { team: 'blue', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' },
      annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': metadata.creationTimestamp },
    });
    expect(created.subsets).toBeUndefined();
    expect(await writesOf(() => cluster.advance(3_600_000, 600_000))).toEqual([]);
    expect(writes()).toEqual(['POST']);
  });

  it('contain its pods, ready or not, with its ports', async () => {
    await network.service('web', {
      ports: [
        { name: 'metrics', port: 9090, appProtocol: 'kubernetes.io/h2c' },
        { name: 'https', port: 443, targetPort: 8443 },
        { name: 'http', port: 80, targetPort: 'http' },
      ],
    });
    const a = await network.pod('a');
    const b = await network.pod('b', { ready: false });
    const reference = (name: string, uid: string | undefined) => ({ kind: 'Pod', namespace: 'default', name, uid });
    expect((await web()).subsets).toEqual([
      {
        addresses: [{ ip: '10.1.0.1', nodeName: 'node-1', targetRef: reference('a', a.metadata.uid) }],
        notReadyAddresses: [{ ip: '10.1.0.2', nodeName: 'node-1', targetRef: reference('b', b.metadata.uid) }],
        ports: [
          { name: 'http', port: 8080, protocol: 'TCP' },
          { name: 'metrics', port: 9090, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
          { name: 'https', port: 8443, protocol: 'TCP' },
        ],
      },
    ]);
  });

  it('follow changes of its pods with one write each', async () => {
    await network.service('web');
    await network.pod('a');
    expect(await writesOf(() => network.ready('a', false))).toEqual(['PUT']);
    expect(await addresses()).toEqual([[[], ['10.1.0.1']]]);
    const annotate = { metadata: { annotations: { 'of-no': 'interest' } } };
    expect(await writesOf(() => cluster.clients.core.v1.pods('default').patch('a', 'merge', annotate))).toEqual([]);
    expect(await writesOf(() => cluster.clients.core.v1.pods('default').delete('a'))).toEqual(['PUT']);
    expect(await addresses()).toBeUndefined();
    expect(await writesOf(() => network.kill('a'))).toEqual([]);
  });

  it('that is headless have hostnames, and include terminating pods with publishNotReadyAddresses', async () => {
    await network.service('peers', { clusterIP: 'None', publishNotReadyAddresses: true, ports: [] });
    await network.pod('a', { ready: false, spec: { hostname: 'first', subdomain: 'peers' } });
    await cluster.clients.core.v1.pods('default').delete('a');
    await cluster.settle();
    const { metadata, subsets } = await client().get('peers');
    expect(metadata.labels).toMatchObject({ 'service.kubernetes.io/headless': '' });
    expect(subsets).toEqual([{ addresses: [expect.objectContaining({ ip: '10.1.0.1', hostname: 'first' })] }]);
  });

  it('contain addresses of its first IP family', async () => {
    await network.service('web', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'] });
    await network.pod('a', { ips: ['10.1.0.1', 'fd01::1'] });
    await network.pod('b', { ips: ['10.1.0.2'] });
    expect(await addresses()).toEqual([[['fd01::1'], []]]);
  });

  it('are corrected after changes by others', async () => {
    await network.service('web');
    await network.pod('a');
    await client().patch('web', 'merge', { metadata: { labels: { extra: 'x' } }, subsets: null });
    // Changes of Endpoints are not watched: the next change of a pod or the service causes the correction.
    expect(await writesOf(() => services().patch('web', 'merge', { metadata: { annotations: { a: 'b' } } }))).toEqual([
      'PUT',
    ]);
    expect((await web()).metadata.labels).toEqual({ 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' });
    expect(await addresses()).toEqual([[['10.1.0.1'], []]]);
  });

  it('are not written when only their order differs', async () => {
    await network.service('web', {
      ports: [
        { name: 'a', port: 1 },
        { name: 'b', port: 2 },
      ],
    });
    await network.pod('a');
    const current = await web();
    const subsets = current.subsets!.map(({ ports = [], ...subset }) => ({ ...subset, ports: [...ports].reverse() }));
    await client().update({ ...current, subsets });
    expect(await writesOf(() => services().patch('web', 'merge', { metadata: { annotations: { a: 'b' } } }))).toEqual(
      [],
    );
  });

  it('are deleted with the service, and created again when they are deleted', async () => {
    await network.service('web');
    expect(await writesOf(() => client().delete('web'))).toEqual(['POST']);
    expect(await writesOf(() => services().delete('web'))).toEqual(['DELETE']);
    await expect(web()).rejects.toThrow('not found');
  });

  it('that was deleted while the controller was stopped are deleted, except leader election locks', async () => {
    await network.service('web');
    await cluster.stopControllers();
    await services().delete('web');
    const annotations = { 'control-plane.alpha.kubernetes.io/leader': '{}' };
    await client().create({ metadata: { name: 'lock', annotations } });
    cluster.startControllers();
    await cluster.settle();
    const { items } = await client().list();
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(['kubernetes', 'lock']);
  });

  it('without a selector are not managed', async () => {
    await network.service('manual', { selector: {} });
    expect(writes()).toEqual([]);
  });

  it('are written after the batch period', async () => {
    await cluster.stop();
    await start(newEndpointsController({ batchPeriodMs: 500 }));
    await network.service('web');
    for (const name of ['a', 'b', 'c']) await network.pod(name);
    expect(await writesOf(() => cluster.advance(500))).toEqual(['PUT']);
  });

  it('are written again after failures, which are reported by events', async () => {
    const failures = [
      newInternalError(new Error('injected')),
      undefined,
      newConflict(GroupResource.of('', 'endpoints'), 'web', new Error('changed')),
    ];
    cluster.spy.plan = ({ url, method }) => {
      const failure = method !== 'GET' && url.includes('/endpoints') ? failures.shift() : undefined;
      if (failure) throw failure;
    };
    await network.service('web');
    await cluster.advance(100, 5);
    await network.pod('a');
    await cluster.advance(100, 5);
    expect(await addresses()).toEqual([[['10.1.0.1'], []]]);
    expect((await cluster.events()).sort()).toEqual([
      'Warning FailedToCreateEndpoint Endpoints/web: Failed to create endpoint for service default/web: Internal error occurred: injected',
      'Warning FailedToUpdateEndpoint Endpoints/web: Failed to update endpoint default/web: ' +
        'Operation cannot be fulfilled on endpoints "web": changed',
    ]);
  });
});
