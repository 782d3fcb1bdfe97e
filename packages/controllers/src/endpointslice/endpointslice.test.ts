import type { Service } from '@coxswain/api/core/v1';
import type { EndpointSlice } from '@coxswain/api/discovery/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { newEndpointSliceController } from './index.ts';
import { addressesOf, Network } from './pods.test-data.ts';

let cluster: TestCluster;
let network: Network;
async function start(options: Parameters<typeof newEndpointSliceController>[0] = {}): Promise<void> {
  cluster = await TestCluster.start({
    controllers: [newEndpointSliceController({ maxEndpointsPerSlice: 3, ...options })],
    server: { serviceClusterIpRange: ['10.0.0.0/24', 'fd00::/112'] },
  });
  network = new Network(cluster);
  await network.node('node-1', 'zone-1');
}
beforeEach(() => start());
afterEach(() => cluster.stop());

const slices = () => cluster.clients.discovery.v1.endpointSlices('default');
const services = () => cluster.clients.core.v1.services('default');
const writes = (): string[] => cluster.spy.writes.map(({ method }) => method);
const hintsOf = ({ endpoints }: EndpointSlice): (string | undefined)[] =>
  (endpoints ?? []).map(({ hints }) => hints?.forZones?.map(({ name }) => name).join());

/** Returns the writes that the controllers make during `act`. */
async function writesOf(act: () => Promise<unknown>): Promise<string[]> {
  const before = writes().length;
  await act();
  await cluster.settle();
  return writes().slice(before);
}

const expectIdle = async (): Promise<void> =>
  expect(await writesOf(() => cluster.advance(3_600_000, 600_000))).toEqual([]);

describe('a service', () => {
  it('has a slice even without endpoints and causes no further writes', async () => {
    const { metadata } = await network.service('web', {}, { labels: { team: 'blue' } });
    const [slice, ...others] = await network.slices('web');
    expect(others).toEqual([]);
    expect(slice).toMatchObject({
      metadata: {
        generateName: 'web-',
        labels: {
          team: 'blue',
          'kubernetes.io/service-name': 'web',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': metadata.creationTimestamp },
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'Service',
            name: 'web',
            uid: metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      addressType: 'IPv4',
    });
    expect(slice!.endpoints ?? []).toEqual([]);
    expect(slice!.ports ?? []).toEqual([]);
    expect(writes()).toEqual(['POST']);
    await expectIdle();
  });

  it('has the pods that it selects, as they are', async () => {
    await network.service('web', {
      ports: [
        { name: 'metrics', port: 9090, appProtocol: 'kubernetes.io/h2c' },
        { name: 'https', port: 443, targetPort: 8443 },
        { name: 'http', port: 80, targetPort: 'http' },
      ],
    });
    const { metadata } = await network.pod('a', { ips: ['10.1.0.1'] });
    await network.pod('other', { labels: { app: 'other' } });
    const [slice, ...others] = await network.slices('web');
    expect(others).toEqual([]);
    expect(slice!.endpoints).toEqual([
      {
        addresses: ['10.1.0.1'],
        conditions: { ready: true, serving: true, terminating: false },
        targetRef: { kind: 'Pod', namespace: 'default', name: 'a', uid: metadata.uid },
        nodeName: 'node-1',
        zone: 'zone-1',
      },
    ]);
    // In the same order as kube-controller-manager v1.36.
    expect(slice!.ports).toEqual([
      { name: 'http', port: 8080, protocol: 'TCP' },
      { name: 'https', port: 8443, protocol: 'TCP' },
      { name: 'metrics', port: 9090, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
    ]);
    await expectIdle();
  });

  it('writes each change of a pod once, with its time', async () => {
    await network.service('web');
    await network.pod('a');
    const conditions = async () => (await network.slices('web'))[0]!.endpoints?.map((endpoint) => endpoint.conditions);
    const changedAt = async () =>
      (await network.slices('web'))[0]!.metadata.annotations?.['endpoints.kubernetes.io/last-change-trigger-time'];
    await cluster.advance(60_000);
    expect(await writesOf(() => network.ready('a', false))).toEqual(['PUT']);
    expect(await conditions()).toEqual([{ ready: false, serving: false, terminating: false }]);
    expect(await changedAt()).toBe(network.now);
    await network.ready('a', true);
    expect(await writesOf(() => cluster.clients.core.v1.pods('default').delete('a'))).toEqual(['PUT']);
    expect(await conditions()).toEqual([{ ready: false, serving: true, terminating: true }]);
    expect(await changedAt()).toBeUndefined();
    const annotate = { metadata: { annotations: { 'of-no': 'interest' } } };
    expect(await writesOf(() => cluster.clients.core.v1.pods('default').patch('a', 'merge', annotate))).toEqual([]);
    expect(await writesOf(() => network.status('a', { phase: 'Succeeded' }))).toEqual(['PUT']);
    expect((await conditions()) ?? []).toEqual([]);
    expect(await writesOf(() => network.kill('a'))).toEqual([]);
  });

  it('adds and removes pods whose labels change', async () => {
    await network.service('web');
    await network.service('other', { selector: { app: 'other' } });
    await network.pod('a');
    const relabel = (app: string) =>
      cluster.clients.core.v1.pods('default').patch('a', 'merge', { metadata: { labels: { app } } });
    expect(await writesOf(() => relabel('other'))).toEqual(['PUT', 'PUT']);
    expect(addressesOf((await network.slices('web'))[0]!)).toEqual([]);
    expect(addressesOf((await network.slices('other'))[0]!)).toEqual(['10.1.0.1']);
  });

  it('that is headless and publishes not ready addresses has all pods, with hostnames', async () => {
    await network.service('peers', { clusterIP: 'None', publishNotReadyAddresses: true, ports: [] });
    await network.pod('a', { ready: false, spec: { hostname: 'first', subdomain: 'peers' } });
    await network.pod('b', { node: 'nowhere', spec: { hostname: 'second', subdomain: 'others' } });
    const [slice] = await network.slices('peers');
    expect(slice!.metadata.labels).toMatchObject({ 'service.kubernetes.io/headless': '' });
    expect(slice!.endpoints?.map(({ hostname, conditions }) => [hostname, conditions?.ready])).toEqual([
      ['first', true],
      [undefined, true],
    ]);
  });

  it('with both IP families has slices for each', async () => {
    await network.service('web', { ipFamilyPolicy: 'PreferDualStack' });
    await network.pod('a', { ips: ['10.1.0.1', 'fd01::1'] });
    await network.pod('b', { ips: ['10.1.0.2'] });
    const all = await network.slices('web');
    expect(Object.fromEntries(all.map((slice) => [slice.addressType, addressesOf(slice)]))).toEqual({
      IPv4: ['10.1.0.1', '10.1.0.2'],
      IPv6: ['fd01::1'],
    });
    const clusterIPs = (await services().get('web')).spec!.clusterIPs!.slice(0, 1);
    const patch: Partial<Service> = { spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'], clusterIPs } };
    expect(await writesOf(() => services().patch('web', 'merge', patch))).toEqual(['DELETE']);
    expect((await network.slices('web')).map(({ addressType }) => addressType)).toEqual(['IPv4']);
    await expectIdle();
  });

  it('has a slice for each port number of a named port', async () => {
    await network.service('web', { ports: [{ port: 80, targetPort: 'http' }] });
    await network.pod('a');
    const ports = [{ name: 'http', containerPort: 9000 }];
    await network.pod('b', { spec: { containers: [{ name: 'web', image: 'web', ports }] } });
    await network.pod('c', { spec: { containers: [{ name: 'web', image: 'web' }] } });
    const all = await network.slices('web');
    expect(all.map((slice) => [slice.ports?.map(({ port }) => port), addressesOf(slice)])).toEqual(
      expect.arrayContaining([
        [[8080], ['10.1.0.1']],
        [[9000], ['10.1.0.2']],
      ]),
    );
    // Pods without the port are endpoints too.
    expect(all).toHaveLength(3);
  });

  it('without a selector or with an external name is ignored', async () => {
    await network.service('manual', { selector: {} });
    await services().create({
      metadata: { name: 'far' },
      spec: { type: 'ExternalName', externalName: 'a.b', selector: { app: 'web' } },
    });
    await network.pod('a');
    expect(writes()).toEqual([]);
  });

  it('with the name of a deleted one gets new slices', async () => {
    await network.service('web');
    await network.pod('a');
    const [old] = await network.slices('web');
    await cluster.stopControllers();
    await services().delete('web');
    await network.service('web');
    cluster.startControllers();
    await cluster.settle();
    const [slice, ...others] = await network.slices('web');
    expect(others).toEqual([]);
    expect(slice!.metadata.uid).not.toBe(old!.metadata.uid);
    expect(addressesOf(slice!)).toEqual(['10.1.0.1']);
  });

  it('copies its labels to its slices', async () => {
    await network.service('web');
    await network.pod('a');
    const label = (labels: Record<string, string>) => services().patch('web', 'merge', { metadata: { labels } });
    expect(await writesOf(() => label({ team: 'red' }))).toEqual(['PUT']);
    expect((await network.slices('web'))[0]!.metadata.labels).toMatchObject({ team: 'red' });
    expect(await writesOf(() => label({ 'kubernetes.io/service-name': 'x' }))).toEqual([]);
  });
});

describe('slices', () => {
  const fill = async (...names: string[]): Promise<void> => {
    for (const name of names) await network.pod(name);
  };
  const sizes = async (): Promise<number[]> =>
    (await network.slices('web')).map(({ endpoints }) => endpoints?.length ?? 0).sort((a, b) => b - a);

  it('are filled one after the other, with one write for each change', async () => {
    await network.service('web');
    await fill('a', 'b', 'c', 'd', 'e');
    expect(await sizes()).toEqual([3, 2]);
    expect(writes()).toEqual(['POST', 'PUT', 'PUT', 'PUT', 'POST', 'PUT']);
    expect(await writesOf(() => network.end('a'))).toEqual(['PUT']);
    expect(await sizes()).toEqual([2, 2]);
    await network.end('d');
    expect(await writesOf(() => network.end('e'))).toEqual(['DELETE']);
    expect(await sizes()).toEqual([2]);
  });

  it('are written once for several pods within the batch period', async () => {
    await cluster.stop();
    await start({ maxEndpointsPerSlice: 100, batchPeriodMs: 500 });
    await network.service('web');
    await fill('a', 'b', 'c', 'd', 'e');
    expect(await writesOf(() => cluster.advance(500))).toEqual(['PUT']);
    expect(await sizes()).toEqual([5]);
  });

  it('that were changed or deleted by others are restored a second later', async () => {
    await network.service('web');
    await fill('a', 'b');
    const [slice] = await network.slices('web');
    const name = slice!.metadata.name!;
    await slices().patch(name, 'merge', { endpoints: [] });
    await cluster.settle();
    expect(await writesOf(() => cluster.advance(1000))).toEqual(['PUT']);
    expect(await sizes()).toEqual([2]);
    await slices().delete(name);
    await cluster.settle();
    expect(await writesOf(() => cluster.advance(1000))).toEqual(['POST']);
    expect(await sizes()).toEqual([2]);
    await expectIdle();
  });

  it('whose service label was changed are replaced', async () => {
    await network.service('web');
    await fill('a');
    const [slice] = await network.slices('web');
    await slices().patch(slice!.metadata.name!, 'merge', {
      metadata: { labels: { 'kubernetes.io/service-name': 'x' } },
    });
    await cluster.settle();
    expect(await writesOf(() => cluster.advance(1000))).toEqual(['POST']);
    expect(await sizes()).toEqual([1]);
    await expectIdle();
  });

  it('are reused when the controller is restarted', async () => {
    await network.service('web');
    await fill('a', 'b', 'c', 'd');
    await cluster.stopControllers();
    await network.kill('b');
    const before = writes().length;
    cluster.startControllers();
    await cluster.settle();
    expect(writes().slice(before)).toEqual(['PUT']);
    await expectIdle();
  });

  it('are written again after failures, which are reported by events', async () => {
    await network.service('web');
    let failures = 2;
    cluster.spy.plan = ({ method }) => {
      if (method === 'PUT' && failures-- > 0) throw newInternalError(new Error('injected'));
    };
    await network.pod('a');
    await cluster.advance(1000);
    await cluster.advance(2000);
    expect(await sizes()).toEqual([1]);
    const name = (await network.slices('web'))[0]!.metadata.name;
    expect(await cluster.events()).toEqual([
      `Warning FailedToUpdateEndpointSlices Service/web: Error updating Endpoint Slices for Service default/web: ` +
        `failed to update ${name} EndpointSlice for Service default/web: Internal error occurred: injected`,
    ]);
  });

  it('omit pods on nodes that do not exist yet', async () => {
    await network.service('web');
    await network.pod('a', { node: 'node-2' });
    await network.pod('b');
    expect(addressesOf((await network.slices('web'))[0]!)).toEqual(['10.1.0.2']);
    expect(await cluster.events()).toEqual([
      'Warning FailedToUpdateEndpointSlices Service/web: Error updating Endpoint Slices for Service default/web: ' +
        'skipping Pod a for Service default/web: Node node-2 Not Found',
    ]);
    await network.node('node-2');
    await cluster.advance(4000, 1000);
    expect(await sizes()).toEqual([2]);
  });
});

describe('hints', () => {
  beforeEach(async () => {
    await network.node('node-2', 'zone-2');
  });

  it('are for the own zone or node with trafficDistribution', async () => {
    await network.service('web', { trafficDistribution: 'PreferClose' });
    await network.pod('a');
    await network.pod('b', { node: 'node-2' });
    await network.pod('c', { ready: false });
    expect(hintsOf((await network.slices('web'))[0]!)).toEqual(['zone-1', 'zone-2', undefined]);
    const prefer = (trafficDistribution: string | null) =>
      services().patch('web', 'merge', { spec: { trafficDistribution } });
    expect(await writesOf(() => prefer('PreferSameZone'))).toEqual([]);
    expect(await writesOf(() => prefer('PreferSameNode'))).toEqual(['PUT']);
    expect((await network.slices('web'))[0]!.endpoints?.[1]?.hints).toEqual({
      forZones: [{ name: 'zone-2' }],
      forNodes: [{ name: 'node-2' }],
    });
    expect(await writesOf(() => prefer(null))).toEqual(['PUT']);
    expect(hintsOf((await network.slices('web'))[0]!)).toEqual([undefined, undefined, undefined]);
  });

  it('distribute endpoints by zone capacity while possible', async () => {
    const annotations = { 'service.kubernetes.io/topology-mode': 'Auto' };
    await network.service('web', {}, { annotations });
    expect(await cluster.events()).toEqual([
      'Warning TopologyAwareHintsDisabled Service/web: Insufficient number of endpoints (0 endpoints, 2 zones), addressType: IPv4',
    ]);
    for (const name of ['a', 'b', 'c', 'd']) await network.pod(name);
    const hints = (await network.slices('web')).flatMap(hintsOf).sort();
    expect(hints).toEqual(['zone-1', 'zone-1', 'zone-2', 'zone-2']);
    expect((await cluster.events()).at(-1)).toBe(
      'Normal TopologyAwareHintsEnabled Service/web: Topology Aware Hints has been enabled, addressType: IPv4',
    );
    await cluster.clients.core.v1.nodes().delete('node-2');
    await cluster.settle();
    expect((await network.slices('web')).flatMap(hintsOf)).toEqual(Array(4).fill(undefined));
    expect((await cluster.events()).at(-1)).toBe(
      'Warning TopologyAwareHintsDisabled Service/web: Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4',
    );
    await network.node('node-2', 'zone-2');
    await network.ready('a', false);
    await network.ready('a', true);
    expect((await network.slices('web')).flatMap(hintsOf).filter(Boolean)).toHaveLength(4);
    const disable = { metadata: { annotations: { 'service.kubernetes.io/topology-mode': null } } };
    await services().patch('web', 'merge', disable);
    await cluster.settle();
    expect((await network.slices('web')).flatMap(hintsOf)).toEqual(Array(4).fill(undefined));
    expect((await cluster.events()).at(-1)).toBe(
      'Warning TopologyAwareHintsDisabled Service/web: Topology Aware Hints has been disabled, addressType: IPv4',
    );
    await expectIdle();
  });
});
