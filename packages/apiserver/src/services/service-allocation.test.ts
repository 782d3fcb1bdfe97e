import type { Service, ServiceSpec } from '@coxswain/api/core/v1';
import type { IPAddress } from '@coxswain/api/networking/v1';
import { nodeSignatures } from '@coxswain/client/x509';
import { beforeEach, describe, expect, it } from 'vitest';
import { failure, ServiceScenario, service, serviceCIDR } from './service-scenario.test-data.ts';

let scenario: ServiceScenario;

beforeEach(() => {
  scenario = new ServiceScenario();
});

describe('the address of a new service', () => {
  it('is recorded by an IPAddress that names the service', async () => {
    const { clusterIP, clusterIPs } = await scenario.create('web', {});
    expect(clusterIPs).toEqual([clusterIP]);
    expect(scenario.cluster.lister<IPAddress>('networking.k8s.io', 'ipaddresses').list()).toMatchObject([
      {
        metadata: {
          name: clusterIP,
          labels: {
            'ipaddress.kubernetes.io/ip-family': 'IPv4',
            'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
          },
        },
        spec: { parentRef: { resource: 'services', namespace: 'test', name: 'web' } },
      },
    ]);
  });

  it('is one of each family for a dual-stack service', async () => {
    const { clusterIPs } = await scenario.create('web', { ipFamilyPolicy: 'RequireDualStack' });
    expect(clusterIPs).toEqual([expect.stringMatching(/^10\.96\./), expect.stringMatching(/^fd00:10:96::/)]);
    expect(scenario.addresses()).toEqual(clusterIPs);
  });

  it('is not allocated from the static band while others are free', async () => {
    scenario.cluster.put('networking.k8s.io', 'servicecidrs', serviceCIDR('kubernetes', ['192.168.7.0/27']));
    const given = [];
    for (let i = 0; i < 30; i++) given.push((await scenario.create(`s${i}`, {})).clusterIP!);
    const last = given.map((address) => Number(address.split('.')[3]));
    const sorted = (list: number[]) => list.toSorted((a, b) => a - b);
    expect(sorted(last.slice(0, 14))).toEqual(Array.from({ length: 14 }, (_, i) => 17 + i));
    expect(sorted(last.slice(14))).toEqual(Array.from({ length: 16 }, (_, i) => 1 + i));
    expect(await failure(scenario.create('more', {}))).toEqual([
      500,
      'Internal error occurred: failed to allocate a serviceIP for Service "more": range is full',
    ]);
  });

  it('is the requested one, recorded in canonical form', async () => {
    expect((await scenario.create('web', { clusterIP: 'fd00:10:96:0::ABC' })).clusterIP).toBe('fd00:10:96:0::ABC');
    expect(scenario.addresses()).toEqual(['fd00:10:96::abc']);
  });

  it.each<[string, ServiceSpec, string]>([
    [
      'taken',
      { clusterIP: '10.96.0.1' },
      'Service "web" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.1"]: failed to allocate IP 10.96.0.1: provided IP is already allocated',
    ],
    [
      'not in any range',
      { clusterIP: '1.2.3.4' },
      'Service "web" is invalid: spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided network does not match the current range',
    ],
    [
      'the network address',
      { clusterIP: '10.96.0.0' },
      'Service "web" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.0"]: failed to allocate IP 10.96.0.0: the provided network does not match the current range',
    ],
    [
      'the broadcast address',
      { clusterIP: '10.96.255.255' },
      'Service "web" is invalid: spec.clusterIPs: Invalid value: ["10.96.255.255"]: failed to allocate IP 10.96.255.255: the provided network does not match the current range',
    ],
    [
      'valid, but the second is not in any range',
      { ipFamilyPolicy: 'RequireDualStack', clusterIP: '10.96.7.7', clusterIPs: ['10.96.7.7', 'fd00:10:97::5'] },
      'Service "web" is invalid: spec.clusterIPs: Invalid value: ["10.96.7.7","fd00:10:97::5"]: failed to allocate IP fd00:10:97::5: the provided network does not match the current range',
    ],
  ])('is refused when it is %s', async (_, spec, message) => {
    await scenario.create('kubernetes', { clusterIP: '10.96.0.1' });
    expect(await failure(scenario.create('web', spec))).toEqual([422, message]);
    expect(scenario.addresses()).toEqual(['10.96.0.1']);
  });

  it('is allocated from new ServiceCIDRs once they are ready', async () => {
    scenario.cluster.put('networking.k8s.io', 'servicecidrs', serviceCIDR('kubernetes', ['192.168.7.0/30']));
    await scenario.create('a', {});
    await scenario.create('b', {});
    scenario.cluster.put('networking.k8s.io', 'servicecidrs', serviceCIDR('more', ['192.168.8.0/30'], 'False'));
    expect((await failure(scenario.create('c', {})))[1]).toContain('range is full');
    expect((await failure(scenario.create('c', { clusterIP: '192.168.8.1' })))[1]).toContain(
      'does not match the current range',
    );
    scenario.cluster.put('networking.k8s.io', 'servicecidrs', serviceCIDR('more', ['192.168.8.0/30'], 'True'));
    expect((await scenario.create('c', {})).clusterIP).toMatch(/^192\.168\.8\.[12]$/);
  });

  it('is not allocated for headless services and external names', async () => {
    expect((await scenario.create('a', { clusterIP: 'None' })).clusterIPs).toEqual(['None']);
    expect(
      (await scenario.create('b', { type: 'ExternalName', externalName: 'x.example' })).clusterIPs,
    ).toBeUndefined();
    expect(scenario.addresses()).toEqual([]);
  });

  it('is released when the service cannot be stored', async () => {
    await scenario.create('web', {});
    const before = scenario.addresses();
    expect((await failure(scenario.create('web', {})))[0]).toBe(409);
    expect(scenario.addresses()).toEqual(before);
  });

  it('is a different one when another server allocated it concurrently', async () => {
    scenario.cluster.put('networking.k8s.io', 'servicecidrs', serviceCIDR('kubernetes', ['192.168.7.0/29']));
    const other = scenario.newServer();
    const taken = new Set<string>();
    const [a, b] = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const object = service(name, { ipFamilies: ['IPv4'] });
        const hooks = name === 'a' ? scenario.allocation.hooks : other.hooks;
        await hooks.beginCreate(object, {
          dryRun: false,
          now: () => scenario.cluster.now,
          features: undefined as never,
          signatures: nodeSignatures,
        });
        taken.add(object.spec!.clusterIP!);
        return object.spec!.clusterIP;
      }),
    );
    expect(a).not.toBe(b);
    expect(taken.size).toBe(2);
  });
});

describe('node ports of a new service', () => {
  it('are above the static band, and stored', async () => {
    const { ports: given } = await scenario.create('web', {
      type: 'NodePort',
      ports: [
        { name: 'a', port: 1 },
        { name: 'b', port: 2 },
      ],
    });
    const nodePorts = given!.map(({ nodePort }) => nodePort!);
    for (const port of nodePorts) expect(port).toBeGreaterThanOrEqual(30086);
    expect(scenario.ports()).toEqual(nodePorts.toSorted((a, b) => a - b));
  });

  it.each<[string, ServiceSpec, number, string]>([
    [
      'is out of range',
      { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
      422,
      'Service "web" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    ],
    [
      'is taken',
      {
        type: 'NodePort',
        ports: [
          { name: 'x', port: 79 },
          { name: 'y', port: 80, nodePort: 30111 },
        ],
      },
      422,
      'Service "web" is invalid: spec.ports[1].nodePort: Invalid value: 30111: provided port is already allocated',
    ],
    [
      'is requested twice, for different ports',
      {
        type: 'NodePort',
        ports: [
          { name: 't', port: 53, protocol: 'TCP', nodePort: 30223 },
          { name: 'u', port: 54, protocol: 'UDP', nodePort: 30223 },
        ],
      },
      422,
      'Service "web" is invalid: spec.ports[1].nodePort: Invalid value: 30223: provided port is already allocated',
    ],
    [
      'for health checks is taken',
      { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30111 },
      500,
      'Internal error occurred: failed to allocate requested HealthCheck NodePort 30111: provided port is already allocated',
    ],
    [
      'for health checks is out of range',
      { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 80 },
      500,
      'Internal error occurred: failed to allocate requested HealthCheck NodePort 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    ],
  ])('are refused when one %s', async (_, spec, code, message) => {
    await scenario.create('first', { type: 'NodePort', ports: [{ port: 80, nodePort: 30111 }] });
    const before = scenario.addresses();
    expect(await failure(scenario.create('web', spec))).toEqual([code, message]);
    expect([scenario.ports(), scenario.addresses()]).toEqual([[30111], before]);
  });

  it.each<[string, ServiceSpec['ports'], (number | undefined)[]]>([
    [
      'is the one that was requested with either',
      [
        { name: 't', port: 53, protocol: 'TCP' },
        { name: 'u', port: 53, protocol: 'UDP', nodePort: 30222 },
      ],
      [30222, 30222],
    ],
    [
      'may be two that were requested',
      [
        { name: 't', port: 53, protocol: 'TCP', nodePort: 30224 },
        { name: 'u', port: 53, protocol: 'UDP', nodePort: 30225 },
      ],
      [30224, 30225],
    ],
  ])('of the same port by two protocols %s', async (_, given, expected) => {
    const spec = await scenario.create('dns', { type: 'NodePort', ports: given });
    expect(spec.ports!.map(({ nodePort }) => nodePort)).toEqual(expected);
    expect(scenario.ports()).toEqual([...new Set(expected)]);
  });

  it('is one for the same port by two protocols', async () => {
    const { ports: given } = await scenario.create('dns', {
      type: 'NodePort',
      ports: [
        { name: 't', port: 53, protocol: 'TCP' },
        { name: 'u', port: 53, protocol: 'UDP' },
      ],
    });
    expect(given![0]!.nodePort).toBe(given![1]!.nodePort);
    expect(scenario.ports()).toEqual([given![0]!.nodePort]);
  });

  it('are only the requested ones when the load balancer needs none', async () => {
    const { ports: given } = await scenario.create('lb', {
      type: 'LoadBalancer',
      allocateLoadBalancerNodePorts: false,
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 81, nodePort: 30333 },
      ],
    });
    expect(given!.map(({ nodePort }) => nodePort)).toEqual([undefined, 30333]);
    expect(scenario.ports()).toEqual([30333]);
  });

  it('fail when the range is full', async () => {
    scenario.serveWith(scenario.newServer('30000-30001'));
    await scenario.create('a', { type: 'NodePort' });
    await scenario.create('b', { type: 'NodePort' });
    expect(await failure(scenario.create('c', { type: 'NodePort' }))).toEqual([
      500,
      'Internal error occurred: failed to allocate a nodePort: range is full',
    ]);
    expect(
      await failure(
        scenario.create('d', {
          type: 'LoadBalancer',
          allocateLoadBalancerNodePorts: false,
          externalTrafficPolicy: 'Local',
        }),
      ),
    ).toEqual([500, 'Internal error occurred: failed to allocate a HealthCheck NodePort 0: range is full']);
  });
});

describe('a dry run', () => {
  it('returns placeholders and allocates nothing', async () => {
    const spec = await scenario.create(
      'web',
      {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        ipFamilyPolicy: 'RequireDualStack',
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
      true,
    );
    expect(spec).toMatchObject({
      clusterIPs: ['10.96.0.0', 'fd00:10:96::'],
      ports: [{ nodePort: 32769 }, { nodePort: 32770 }],
      healthCheckNodePort: 32771,
    });
    expect([scenario.addresses(), scenario.ports(), scenario.cluster.store.puts]).toEqual([[], [], 0]);
  });

  it('accepts an address that is allocated, and a port out of range', async () => {
    await scenario.create('kubernetes', { clusterIP: '10.96.0.1' });
    const spec = await scenario.create(
      'web',
      { clusterIP: '10.96.0.1', type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
      true,
    );
    expect(spec).toMatchObject({ clusterIP: '10.96.0.1', ports: [{ nodePort: 80 }] });
  });

  it('refuses an address that is in no range, and a port that is allocated', async () => {
    await scenario.create('first', { type: 'NodePort', ports: [{ port: 80, nodePort: 30111 }] });
    expect(await failure(scenario.create('web', { clusterIP: '1.2.3.4' }, true))).toEqual([
      422,
      'Service "web" is invalid: spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided IP (1.2.3.4) is not in the valid range. The range of valid IPs is 10.96.0.0/16',
    ]);
    expect(
      (await failure(scenario.create('web', { type: 'NodePort', ports: [{ port: 80, nodePort: 30111 }] }, true)))[1],
    ).toContain('provided port is already allocated');
  });

  it('of an update releases nothing', async () => {
    await scenario.create('web', { type: 'NodePort' });
    const before = [scenario.addresses(), scenario.ports()];
    await scenario.update(
      'web',
      (spec) => {
        spec.type = 'ClusterIP';
      },
      true,
    );
    expect([scenario.addresses(), scenario.ports()]).toEqual(before);
  });
});

describe('an update', () => {
  it('to an external name releases everything, and changing back allocates again', async () => {
    const { clusterIP } = await scenario.create('web', { type: 'NodePort' });
    const external = await scenario.update('web', (spec) => {
      spec.type = 'ExternalName';
      spec.externalName = 'x.example';
    });
    expect(external).toMatchObject({ type: 'ExternalName' });
    expect(external.clusterIP).toBeUndefined();
    expect([scenario.addresses(), scenario.ports()]).toEqual([[], []]);
    const spec = await scenario.update('web', (again) => {
      again.type = 'NodePort';
      again.clusterIP = clusterIP;
      again.externalName = undefined;
    });
    expect(scenario.addresses()).toEqual([clusterIP]);
    expect(scenario.ports()).toEqual([spec.ports![0]!.nodePort]);
  });

  it('to a load balancer with local traffic allocates a health check port, and changing back releases it', async () => {
    const { ports: before } = await scenario.create('web', { type: 'NodePort' });
    const spec = await scenario.update('web', (to) => {
      to.type = 'LoadBalancer';
      to.externalTrafficPolicy = 'Local';
    });
    expect(spec.ports![0]!.nodePort).toBe(before![0]!.nodePort);
    expect(scenario.ports()).toEqual([before![0]!.nodePort!, spec.healthCheckNodePort!].toSorted((a, b) => a - b));
    const back = await scenario.update('web', (to) => {
      to.externalTrafficPolicy = 'Cluster';
    });
    expect(back.healthCheckNodePort).toBeUndefined();
    expect(scenario.ports()).toEqual([before![0]!.nodePort]);
  });

  it('to ClusterIP releases the node ports', async () => {
    await scenario.create('web', { type: 'NodePort' });
    await scenario.update('web', (spec) => {
      spec.type = 'ClusterIP';
    });
    expect(scenario.ports()).toEqual([]);
  });

  it('replaces one node port by another', async () => {
    await scenario.create('web', { type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }] });
    await scenario.update('web', (spec) => {
      spec.ports![0]!.nodePort = 30002;
    });
    expect(scenario.ports()).toEqual([30002]);
  });

  it('does not treat node ports of an external name as allocated', async () => {
    await scenario.create('a', {
      type: 'ExternalName',
      externalName: 'x.example',
      ports: [{ port: 80, nodePort: 30777 }],
    });
    await scenario.create('b', { type: 'NodePort', ports: [{ port: 80, nodePort: 30777 }] });
    const [code] = await failure(
      scenario.update('a', (spec) => {
        spec.type = 'NodePort';
        spec.externalName = undefined;
      }),
    );
    expect(code).toBe(422);
    await scenario.cluster.delete('', 'services', 'test', 'a');
    expect(scenario.ports()).toEqual([30777]);
  });

  it('keeps the node port of a load balancer that no longer needs one', async () => {
    const { ports: before } = await scenario.create('web', { type: 'LoadBalancer' });
    await scenario.update('web', (spec) => {
      spec.allocateLoadBalancerNodePorts = false;
    });
    expect(scenario.ports()).toEqual([before![0]!.nodePort]);
    await scenario.update('web', (spec) => {
      spec.ports![0]!.nodePort = undefined;
    });
    expect(scenario.ports()).toEqual([]);
  });

  it('allocates a second address for dual stack, and releases it', async () => {
    const { clusterIP } = await scenario.create('web', {});
    const dual = await scenario.update('web', (spec) => {
      spec.ipFamilyPolicy = 'RequireDualStack';
    });
    expect(dual.clusterIPs).toEqual([clusterIP, expect.stringMatching(/^fd00:10:96::/)]);
    expect(scenario.addresses()).toEqual(dual.clusterIPs);
    const single = await scenario.update('web', (spec) => {
      spec.ipFamilyPolicy = 'SingleStack';
    });
    expect(single.clusterIPs).toEqual([clusterIP]);
    expect(scenario.addresses()).toEqual([clusterIP]);
  });

  it('that cannot be stored changes no allocations', async () => {
    await scenario.create('web', { type: 'NodePort' });
    const before = [scenario.addresses(), scenario.ports()];
    scenario.cluster.fail = (write) => (write.startsWith('update services') ? new Error('no') : undefined);
    await expect(
      scenario.update('web', (spec) => {
        spec.ipFamilyPolicy = 'RequireDualStack';
        spec.ports!.push({ name: 'b', port: 81 });
        spec.ports![0]!.name = 'a';
      }),
    ).rejects.toThrow('no');
    expect([scenario.addresses(), scenario.ports()]).toEqual(before);
  });

  it('that is retried at once gets the same address', async () => {
    await scenario.create('web', { type: 'ExternalName', externalName: 'x.example' });
    const old = await scenario.cluster.get<Service>('', 'services', 'test', 'web');
    const context = {
      dryRun: false,
      now: () => scenario.cluster.now,
      features: undefined as never,
      signatures: nodeSignatures,
    };
    for (let i = 0; i < 3; i++) {
      const object = service('web', { ipFamilies: ['IPv4'], clusterIPs: ['10.96.3.3'] });
      const reservation = await scenario.allocation.hooks.beginUpdate(object, old, context);
      if (i < 2) void reservation.rollback();
    }
    expect(scenario.addresses()).toEqual(['10.96.3.3']);
  });
});

describe('deleting a service', () => {
  it('releases everything and deletes its endpoints', async () => {
    await scenario.create('web', {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      ipFamilyPolicy: 'RequireDualStack',
    });
    scenario.cluster.put('', 'endpoints', {
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: { name: 'web', namespace: 'test' },
    });
    await scenario.cluster.delete('', 'services', 'test', 'web');
    await scenario.allocation.close();
    expect([scenario.addresses(), scenario.ports(), scenario.cluster.lister('', 'endpoints').list()]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it('does not release an address that is recorded for another service', async () => {
    const { clusterIP } = await scenario.create('web', {});
    const twin = service('twin', { clusterIP, clusterIPs: [clusterIP!], type: 'ClusterIP' });
    scenario.cluster.put('', 'services', twin);
    await scenario.cluster.delete('', 'services', 'test', 'twin');
    await scenario.allocation.close();
    expect(scenario.addresses()).toEqual([clusterIP]);
  });
});
