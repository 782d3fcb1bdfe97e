import type { ServiceCIDR } from '@coxswain/api/networking/v1';
import { newInternalError } from '@coxswain/apimachinery/errors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestCluster } from '../../test/test-cluster.ts';
import { serviceCIDRController } from './index.ts';

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await TestCluster.start({
    controllers: [serviceCIDRController],
    server: { serviceClusterIpRange: ['10.0.0.0/24'] },
  });
  await cluster.settle();
});
afterEach(() => cluster.stop());

const client = () => cluster.clients.networking.v1.serviceCIDRs();
const finalizers = ['networking.k8s.io/service-cidr-finalizer'];
const readyOf = ({ status }: ServiceCIDR) =>
  status?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]);
const ready = ['Ready', 'True', '', 'Kubernetes Service CIDR is ready'];
const terminating = [
  'Ready',
  'False',
  'Terminating',
  'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
];

async function create(name: string, ...cidrs: string[]): Promise<void> {
  await client().create({ metadata: { name }, spec: { cidrs } });
  await cluster.settle();
}
async function address(ip: string): Promise<void> {
  await cluster.clients.networking.v1.ipAddresses().create({
    metadata: {
      name: ip,
      labels: {
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        'ipaddress.kubernetes.io/ip-family': ip.includes(':') ? 'IPv6' : 'IPv4',
      },
    },
    spec: { parentRef: { resource: 'services', name: 'x', namespace: 'default' } },
  });
}
const names = async (): Promise<string[]> => (await client().list()).items.map(({ metadata }) => metadata.name!);
async function remove(name: string): Promise<void> {
  await client().delete(name);
  await cluster.settle();
}

describe('a ServiceCIDR', () => {
  it('becomes Ready and gets a finalizer, without further writes', async () => {
    await create('more', '10.1.0.0/24');
    for (const name of ['kubernetes', 'more']) {
      const cidr = await client().get(name);
      expect(cidr.metadata.finalizers).toEqual(finalizers);
      expect(readyOf(cidr)).toEqual([ready]);
    }
    const before = cluster.spy.writes.length;
    await cluster.advance(3_600_000, 600_000);
    expect(cluster.spy.writes.slice(before)).toEqual([]);
  });

  it('is deleted after ten seconds when none of its addresses is in use', async () => {
    await create('more', '10.1.0.0/24');
    await remove('more');
    await cluster.advance(9000);
    expect(await names()).toContain('more');
    await cluster.advance(1000);
    expect(await names()).toEqual(['kubernetes']);
  });

  it('is kept while one of its addresses is in use', async () => {
    await create('more', '10.1.0.0/24', 'fd00::/112');
    await address('10.1.0.7');
    await remove('more');
    await cluster.advance(20_000, 10_000);
    const cidr = await client().get('more');
    expect(readyOf(cidr)).toEqual([terminating]);
    await cluster.clients.networking.v1.ipAddresses().delete('10.1.0.7');
    await cluster.settle();
    expect(await names()).toEqual(['kubernetes']);
  });

  it('is deleted when others contain all its addresses, or all that are in use', async () => {
    await create('more', '10.1.0.0/24');
    await address('10.1.0.7');
    await remove('more');
    await cluster.advance(10_000);
    expect(await names()).toContain('more');
    await create('part', '10.1.0.0/28');
    expect(await names()).not.toContain('more');
    await create('whole', '10.1.0.0/16');
    await remove('part');
    await cluster.advance(10_000);
    expect(await names()).toEqual(['kubernetes', 'whole']);
  });

  it('ignores its first and last address, and addresses of others', async () => {
    await create('more', '10.1.0.0/24');
    await address('10.1.0.0');
    await address('10.1.0.255');
    await address('10.2.0.1');
    await cluster.clients.networking.v1.ipAddresses().create({
      metadata: { name: '10.1.0.9' },
      spec: { parentRef: { resource: 'services', name: 'x', namespace: 'default' } },
    });
    await remove('more');
    await cluster.advance(10_000);
    expect(await names()).toEqual(['kubernetes']);
  });

  it('becomes Ready after a failure, which is reported by an event', async () => {
    let failures = 1;
    cluster.spy.plan = ({ method, url }) => {
      if (method === 'PATCH' && url.includes('/status') && failures-- > 0)
        throw newInternalError(new Error('injected'));
    };
    await create('more', '10.1.0.0/24');
    await cluster.advance(10);
    expect(readyOf(await client().get('more'))).toEqual([ready]);
    expect(await cluster.events()).toEqual([
      'Warning KubernetesServiceCIDRError ServiceCIDR/more: The ServiceCIDR Status can not be set to Ready=True',
    ]);
  });
});
