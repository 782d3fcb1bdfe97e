import { nodeSignatures } from '@coxswain/client/x509';
import { beforeEach, describe, expect, it } from 'vitest';
import { failure, ServiceScenario, service } from './service-scenario.test-data.ts';

let scenario: ServiceScenario;

beforeEach(() => {
  scenario = new ServiceScenario();
});

describe('node ports in the store', () => {
  it('are written once per service, and once for several concurrent ones', async () => {
    await scenario.create('first', {
      type: 'NodePort',
      ports: [
        { name: 'a', port: 1 },
        { name: 'b', port: 2 },
      ],
    });
    expect(scenario.cluster.store.puts).toBe(1);
    await Promise.all(Array.from({ length: 50 }, (_, i) => scenario.create(`s${i}`, { type: 'NodePort' })));
    expect(scenario.ports()).toHaveLength(52);
    expect(scenario.cluster.store.puts).toBeLessThan(10);
  });

  it('are written for a request that arrives just when others are done', async () => {
    for (let turns = 0; turns < 30; turns++) {
      await scenario.create(`s${turns}`, { type: 'NodePort' });
      for (let i = 0; i < turns; i++) await undefined;
    }
    const { hooks } = scenario.allocation;
    const context = {
      dryRun: false,
      now: () => scenario.cluster.now,
      features: undefined as never,
      signatures: nodeSignatures,
    };
    const chain = async (turns: number): Promise<void> => {
      for (let i = 0; i < turns; i++) await undefined;
      const object = service('x', { type: 'NodePort', clusterIPs: ['None'] });
      await hooks.beginCreate(object, context);
    };
    for (let turns = 0; turns < 60; turns++) await Promise.all([chain(0), chain(turns)]);
    expect(scenario.ports()).toHaveLength(150);
  });

  it('are never allocated by two servers', async () => {
    const other = scenario.newServer();
    for (let i = 0; i < 20; i++) {
      scenario.cluster.hooks.set('services', (i % 2 ? scenario.allocation : other).hooks);
      await scenario.create(`s${i}`, { type: 'NodePort' });
    }
    expect(scenario.ports()).toHaveLength(20);
    scenario.cluster.hooks.set('services', other.hooks);
    await scenario.cluster.delete('', 'services', 'test', 's1');
    const freed = 30000;
    expect(scenario.ports()).toHaveLength(19);
    scenario.cluster.hooks.set('services', scenario.allocation.hooks);
    await scenario.create('fixed', { type: 'NodePort', ports: [{ port: 80, nodePort: freed }] });
    scenario.cluster.hooks.set('services', other.hooks);
    expect(
      (await failure(scenario.create('late', { type: 'NodePort', ports: [{ port: 80, nodePort: freed }] })))[0],
    ).toBe(422);
    await scenario.cluster.delete('', 'services', 'test', 'fixed');
    scenario.cluster.hooks.set('services', scenario.allocation.hooks);
    expect(
      (await scenario.create('late', { type: 'NodePort', ports: [{ port: 80, nodePort: freed }] })).ports![0]!.nodePort,
    ).toBe(freed);
  });

  it('are initialized with those of existing services when nothing is stored', async () => {
    await scenario.create('web', { type: 'NodePort', ports: [{ port: 80, nodePort: 30111 }] });
    scenario.cluster.store.entries.clear();
    scenario.cluster.hooks.set('services', scenario.newServer().hooks);
    expect(
      (await failure(scenario.create('late', { type: 'NodePort', ports: [{ port: 80, nodePort: 30111 }] })))[0],
    ).toBe(422);
  });

  it('are an error when the stored value is no RangeAllocation', async () => {
    scenario.cluster.store.entries.set('/registry/ranges/servicenodeports', {
      key: '/registry/ranges/servicenodeports',
      value: Buffer.from('k8s\0'),
      createRevision: 1,
      modRevision: 1,
    });
    await expect(scenario.create('web', { type: 'NodePort' })).rejects.toThrow('is not a RangeAllocation');
    expect(scenario.addresses()).toEqual([]);
  });
});

describe('the repair', () => {
  const restart = async (): Promise<void> => {
    scenario.serveWith(scenario.newServer());
    await scenario.allocation.repair();
  };

  it('changes nothing when everything is consistent', async () => {
    await scenario.create('web', { type: 'NodePort', ipFamilyPolicy: 'RequireDualStack' });
    scenario.cluster.writes.length = 0;
    const { puts } = scenario.cluster.store;
    await restart();
    expect([scenario.cluster.writes, scenario.cluster.store.puts, scenario.reports]).toEqual([[], puts, []]);
  });

  it('records addresses that are not recorded', async () => {
    const { clusterIP } = await scenario.create('web', {});
    scenario.cluster.resource('networking.k8s.io', 'ipaddresses').set('', clusterIP!, undefined);
    await restart();
    expect(scenario.addresses()).toEqual([clusterIP]);
    expect(scenario.reports).toEqual([
      `error "Cluster IP is not allocated; repairing" clusterIP="${clusterIP}" service="test/web"`,
    ]);
  });

  it('recreates a deleted IPAddress at once', async () => {
    const { clusterIP } = await scenario.create('web', {});
    const stop = scenario.allocation.watchDeletions();
    await scenario.cluster.delete('networking.k8s.io', 'ipaddresses', '', clusterIP!);
    await scenario.cluster.delete('networking.k8s.io', 'ipaddresses', '', 'none').catch(() => {});
    await new Promise(setImmediate);
    expect(scenario.addresses()).toEqual([clusterIP]);
    stop();
  });

  it('releases a leaked address after a minute', async () => {
    const object = service('never', { ipFamilies: ['IPv4'] });
    await scenario.allocation.hooks.beginCreate(object, {
      dryRun: false,
      now: () => scenario.cluster.now,
      features: undefined as never,
      signatures: nodeSignatures,
    });
    await restart();
    expect(scenario.addresses()).toHaveLength(1);
    scenario.cluster.now = new Date(scenario.cluster.now.getTime() + 61_000);
    await scenario.allocation.repair();
    expect(scenario.addresses()).toEqual([]);
  });

  it('releases a leaked port in the third run', async () => {
    const object = service('never', { type: 'NodePort', ipFamilies: ['IPv4'] });
    await scenario.allocation.hooks.beginCreate(object, {
      dryRun: false,
      now: () => scenario.cluster.now,
      features: undefined as never,
      signatures: nodeSignatures,
    });
    await restart();
    expect(scenario.ports()).toHaveLength(1);
    await scenario.allocation.repair();
    expect(scenario.ports()).toHaveLength(1);
    await scenario.allocation.repair();
    expect(scenario.ports()).toEqual([]);
  });

  it('leaves the address to one of two services, and logs that', async () => {
    const { clusterIP } = await scenario.create('web', {});
    scenario.cluster.put('', 'services', service('twin', { clusterIP, clusterIPs: [clusterIP!], type: 'ClusterIP' }));
    scenario.cluster.writes.length = 0;
    await restart();
    expect(scenario.cluster.writes).toEqual([]);
    expect(scenario.reports).toEqual([
      `error "Cluster IP was assigned to multiple services; please recreate service" clusterIP="${clusterIP}" service="test/twin"`,
    ]);
  });

  it('logs addresses and ports that are out of range', async () => {
    scenario.cluster.put(
      '',
      'services',
      service('old', {
        clusterIP: '1.2.3.4',
        clusterIPs: ['1.2.3.4'],
        type: 'NodePort',
        ports: [{ port: 1, nodePort: 1 }],
      }),
    );
    await restart();
    expect(scenario.reports.toSorted()).toEqual([
      'error "Cluster IP is not within any service CIDR; please recreate service" clusterIP="1.2.3.4" service="test/old"',
      'error "Node port is not within the port range; please recreate service" port=1 service="test/old"',
    ]);
  });

  it('does not change IPAddresses managed by something else', async () => {
    scenario.cluster.put('networking.k8s.io', 'ipaddresses', {
      kind: 'IPAddress',
      apiVersion: 'networking.k8s.io/v1',
      metadata: { name: '10.96.0.9', creationTimestamp: '2020-01-01T00:00:00Z' },
      spec: { parentRef: { resource: 'gateways', group: 'x', name: 'y' } },
    });
    await restart();
    expect(scenario.addresses()).toEqual(['10.96.0.9']);
  });
});
