import type { Endpoints } from '@coxswain/api/core/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { addressesOf, Network } from '../endpointslice/pods.test-data.ts';
import { newEndpointSliceMirroringController } from './index.ts';

let cluster: TestCluster;
let network: Network;
beforeEach(async () => {
  cluster = await TestCluster.start({
    controllers: [newEndpointSliceMirroringController({ maxEndpointsPerSubset: 4 })],
  });
  network = new Network(cluster);
});
afterEach(() => cluster.stop());

const client = () => cluster.clients.core.v1.endpoints('default');
const services = () => cluster.clients.core.v1.services('default');
const slices = () => network.slices('web');
const writes = (): string[] => cluster.spy.writes.map(({ method }) => method);
async function writesOf(act: () => Promise<unknown>): Promise<string[]> {
  const before = writes().length;
  await act();
  await cluster.settle();
  return writes().slice(before);
}
const http = { port: 8080, protocol: 'TCP' } as const;

async function create(subsets: Endpoints['subsets'], metadata: Endpoints['metadata'] = {}): Promise<Endpoints> {
  const created = await client().create({ metadata: { name: 'web', ...metadata }, subsets: subsets ?? [] });
  await cluster.settle();
  return created;
}
const service = () => network.service('web', { selector: {} });

describe('user-created Endpoints', () => {
  it('are mirrored by ports and IP family, with their labels and annotations', async () => {
    await service();
    const annotations = { why: 'because', 'endpoints.kubernetes.io/last-change-trigger-time': 'x' };
    const { metadata } = await create(
      [
        {
          addresses: [{ ip: '10.9.0.1', hostname: 'one', nodeName: 'n' }, { ip: 'fd00::1' }],
          notReadyAddresses: [{ ip: '10.9.0.2' }],
          ports: [http],
        },
        {
          addresses: [{ ip: '10.9.0.3' }],
          ports: [
            { name: 'a', port: 80, protocol: 'TCP' },
            { name: 'b', port: 81, protocol: 'TCP' },
          ],
        },
      ],
      { labels: { hand: 'made' }, annotations },
    );
    const mirrored = await slices();
    for (const slice of mirrored) {
      expect(slice.metadata).toMatchObject({
        generateName: 'web-',
        labels: {
          hand: 'made',
          'kubernetes.io/service-name': 'web',
          'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
        },
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'Endpoints',
            name: 'web',
            uid: metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      });
      expect(slice.metadata.annotations).toEqual({ why: 'because' });
    }
    expect(mirrored.map(({ addressType, endpoints, ports }) => ({ addressType, endpoints, ports }))).toEqual(
      expect.arrayContaining([
        {
          addressType: 'IPv6',
          endpoints: [{ addresses: ['fd00::1'], conditions: { ready: true } }],
          ports: [{ name: '', ...http }],
        },
        {
          addressType: 'IPv4',
          endpoints: [
            { addresses: ['10.9.0.1'], conditions: { ready: true }, hostname: 'one', nodeName: 'n' },
            { addresses: ['10.9.0.2'], conditions: { ready: false } },
          ],
          ports: [{ name: '', ...http }],
        },
        {
          addressType: 'IPv4',
          endpoints: [{ addresses: ['10.9.0.3'], conditions: { ready: true } }],
          ports: [
            { name: 'b', port: 81, protocol: 'TCP' },
            { name: 'a', port: 80, protocol: 'TCP' },
          ],
        },
      ]),
    );
    expect(writes()).toEqual(['POST', 'POST', 'POST']);
    expect(await writesOf(() => cluster.advance(3_600_000, 600_000))).toEqual([]);
  });

  it('are mirrored with one write per change where possible', async () => {
    await service();
    await create([{ addresses: [{ ip: '10.9.0.1' }], ports: [http] }]);
    const change = (endpoints: Partial<Endpoints>) => client().patch('web', 'merge', endpoints);
    const subsets = (port: number, ...ips: string[]) => [
      { addresses: ips.map((ip) => ({ ip })), ports: [{ ...http, port }] },
    ];
    expect(await writesOf(() => change({ subsets: subsets(8080, '10.9.0.1', '10.9.0.2') }))).toEqual(['PUT']);
    expect((await slices()).map(addressesOf)).toEqual([['10.9.0.1', '10.9.0.2']]);
    const { uid } = (await slices())[0]!.metadata;
    // Other ports: the slice is reused.
    expect(await writesOf(() => change({ subsets: subsets(9090, '10.9.0.1') }))).toEqual(['PUT']);
    expect((await slices()).map((slice) => [slice.metadata.uid, slice.ports?.[0]?.port])).toEqual([[uid, 9090]]);
    expect(await writesOf(() => change({ metadata: { labels: { a: 'b' } } }))).toEqual(['PUT']);
    expect(await writesOf(() => change({ subsets: [] }))).toEqual(['DELETE']);
  });

  it('without a service or with the skip label are ignored', async () => {
    const subsets = [{ addresses: [{ ip: '10.9.0.1' }], ports: [http] }];
    await create(subsets);
    expect(writes()).toEqual([]);
    expect(await writesOf(service)).toEqual(['POST']);
    const skip = (value: string | null) =>
      client().patch('web', 'merge', { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': value } } });
    expect(await writesOf(() => skip('true'))).toEqual(['DELETE']);
    expect(await writesOf(() => skip(null))).toEqual(['POST']);
    expect(await writesOf(() => services().patch('web', 'merge', { spec: { selector: { app: 'web' } } }))).toEqual([
      'DELETE',
    ]);
    expect(await writesOf(() => services().patch('web', 'merge', { spec: { selector: null } }))).toEqual(['POST']);
    expect(await writesOf(() => client().delete('web'))).toEqual(['DELETE']);
  });

  it('with too many addresses are truncated, and an event is recorded', async () => {
    await service();
    const ips = ['1', '2', '3', '4', '5', '6'].map((last) => ({ ip: `10.9.0.${last}` }));
    await create([{ addresses: ips, ports: [http] }]);
    expect((await slices()).map(({ endpoints }) => endpoints?.length)).toEqual([4]);
    expect(await cluster.events()).toEqual([
      'Warning TooManyAddressesToMirror Endpoints/web: A max of 4 addresses can be mirrored to EndpointSlices per Endpoints subset. 2 addresses were skipped',
    ]);
  });

  it('take over the slices of deleted ones of the same name', async () => {
    await service();
    const subsets = [{ addresses: [{ ip: '10.9.0.1' }], ports: [http] }];
    await create(subsets);
    await cluster.stopControllers();
    await client().delete('web');
    const { metadata } = await client().create({ metadata: { name: 'web' }, subsets });
    cluster.startControllers();
    await cluster.settle();
    expect((await slices()).map((slice) => slice.metadata.ownerReferences?.[0]?.uid)).toEqual([metadata.uid]);
  });

  it('have slices that are restored after changes by others', async () => {
    await service();
    await create([{ addresses: [{ ip: '10.9.0.1' }], ports: [http] }]);
    const name = (await slices())[0]!.metadata.name!;
    const mirrored = cluster.clients.discovery.v1.endpointSlices('default');
    expect(await writesOf(() => mirrored.patch(name, 'merge', { endpoints: [] }))).toEqual(['PUT']);
    expect(await writesOf(() => mirrored.delete(name))).toEqual(['POST']);
  });

  it('are mirrored a second after a failure', async () => {
    await service();
    let failures = 1;
    cluster.spy.plan = ({ method }) => {
      if (method === 'POST' && failures-- > 0) throw newInternalError(new Error('injected'));
    };
    await create([{ addresses: [{ ip: '10.9.0.1' }], ports: [http] }]);
    expect(await slices()).toEqual([]);
    expect(cluster.log.join()).toContain(
      'failed to create EndpointSlice for Endpoints default/web: Internal error occurred: injected',
    );
    await cluster.advance(1000);
    expect(await slices()).toHaveLength(1);
  });
});
