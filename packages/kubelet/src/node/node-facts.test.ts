import { describe, expect, it } from 'vitest';
import { ipv4DefaultRoutes, ipv6DefaultRoutes } from './default-routes.ts';
import type { HostNetwork } from './host-network.ts';
import { nodeAddresses } from './node-addresses.ts';
import { nodeNameOf } from './node-name.ts';
import {
  checkReservations,
  checkThresholds,
  enforcedAllocatable,
  nodeAllocatable,
  nodeCapacity,
  parseReserved,
  type ResourceList,
} from './node-resources.ts';

describe('the name of a node', () => {
  it('is that of the host, or the given one, in lower case', () => {
    expect(nodeNameOf('', ' Host.Example\n')).toBe('host.example');
    expect(nodeNameOf('Mine', 'host')).toBe('mine');
    expect(() => nodeNameOf('', ' ')).toThrow('empty hostname is invalid');
  });
});

describe('default routes', () => {
  it('are read from the kernel’s tables', () => {
    const v4 = [
      'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
      'eth1\t0000FEA9\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0',
      'eth0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0',
      '',
    ];
    expect(ipv4DefaultRoutes(v4.join('\n'))).toEqual(['eth0']);
    const none = '0'.repeat(32);
    const gateway = 'fe800000000000000000000000000001';
    const v6 = [
      `${none} 00 ${none} 00 ${gateway} 00000400 00000001 00000000 00000003     eth0`,
      `${none} 00 ${none} 00 ${none} ffffffff 00000001 00000000 00200200       lo`,
      `fe800000000000000000000000000000 40 ${none} 00 ${none} 00000100 00000001 00000000 00000001     eth1`,
      '',
    ];
    expect(ipv6DefaultRoutes(v6.join('\n'))).toEqual(['eth0']);
  });
});

const interfaces = [
  { name: 'lo', addresses: ['127.0.0.1', '::1'], isLoopback: true },
  { name: 'eth0', addresses: ['fe80::1', '10.0.0.5', '2001:db8::5'], isLoopback: false },
  { name: 'eth1', addresses: ['192.168.0.7'], isLoopback: false },
];

const network = (changes: Partial<HostNetwork> = {}): HostNetwork => ({
  interfaces: () => interfaces,
  defaultInterfaces: async () => ({ IPv4: ['eth0'], IPv6: ['eth0'] }),
  lookUp: async () => [],
  ...changes,
});

const addressesOf = async (
  nodeIPs: string[],
  changes: Partial<HostNetwork> = {},
  nodeName = 'n',
): Promise<string[]> => {
  const options = { nodeName, nodeIPs, externalCloudProvider: false };
  return (await nodeAddresses(options, network(changes), [])).map(({ type, address }) => `${type} ${address}`);
};

describe('the addresses of a node', () => {
  it.each<[sentence: string, nodeIPs: string[], changes: Partial<HostNetwork>, nodeName: string, expected: string[]]>([
    ['are those of the default route’s interface', [], {}, 'n', ['InternalIP 10.0.0.5']],
    ['are of IPv6 if that is preferred', ['::'], {}, 'n', ['InternalIP 2001:db8::5']],
    ['are the given ones', ['192.168.0.7'], {}, 'n', ['InternalIP 192.168.0.7']],
    [
      'are of both families if both are given',
      ['2001:db8::5', '10.0.0.5'],
      {},
      'n',
      ['InternalIP 2001:db8::5', 'InternalIP 10.0.0.5'],
    ],
    ['are the name, if that is an address', [], {}, '10.0.0.9', ['InternalIP 10.0.0.9']],
    [
      'are what the name resolves to, if the machine has it',
      [],
      { lookUp: async () => ['127.0.1.1', '192.0.2.1', '192.168.0.7'] },
      'n',
      ['InternalIP 192.168.0.7'],
    ],
    [
      'are of any interface without a table of routes',
      [],
      { defaultInterfaces: async () => undefined },
      'n',
      ['InternalIP 10.0.0.5'],
    ],
    [
      'are of the loopback interface if the default route’s has only link-local ones',
      [],
      {
        interfaces: () => [
          { name: 'lo', addresses: ['127.0.0.1', '10.1.1.1'], isLoopback: true },
          { name: 'eth0', addresses: ['169.254.0.1'], isLoopback: false },
        ],
      },
      'n',
      ['InternalIP 10.1.1.1'],
    ],
  ])('%s', async (_, nodeIPs, changes, nodeName, expected) => {
    expect(await addressesOf(nodeIPs, changes, nodeName)).toEqual([...expected, `Hostname ${nodeName}`]);
  });

  it.each<[nodeIPs: string[], changes: Partial<HostNetwork>, message: string]>([
    [['127.0.0.1'], {}, "failed to validate nodeIP: nodeIP can't be loopback address"],
    [['224.0.0.1'], {}, "failed to validate nodeIP: nodeIP can't be a multicast address"],
    [['169.254.1.1'], {}, "failed to validate nodeIP: nodeIP can't be a link-local unicast address"],
    [
      ['10.0.0.5', '2001:db8::6'],
      {},
      'failed to validate secondaryNodeIP: node IP: "2001:db8::6" not found in the host\'s network interfaces',
    ],
    [
      [],
      { defaultInterfaces: async () => ({ IPv4: [], IPv6: [] }) },
      'can\'t get ip address of node n. error: no default routes found in "/proc/net/route" or "/proc/net/ipv6_route"',
    ],
    [
      [],
      { defaultInterfaces: async () => ({ IPv4: ['eth9'], IPv6: [] }) },
      "can't get ip address of node n. error: unable to select an IP from default routes.",
    ],
  ])('cannot be %s', async (nodeIPs, changes, message) => {
    await expect(addressesOf(nodeIPs, changes)).rejects.toThrow(message);
  });

  it('are left to a cloud controller manager', async () => {
    const options = { nodeName: 'n', nodeIPs: [], externalCloudProvider: true };
    const known = [{ type: 'ExternalIP', address: '203.0.113.1' }];
    expect(await nodeAddresses(options, network(), [])).toEqual([{ type: 'Hostname', address: 'n' }]);
    expect(await nodeAddresses(options, network(), known)).toEqual(known);
    expect(await nodeAddresses({ ...options, nodeIPs: ['10.0.0.5'] }, network(), [])).toEqual([
      { type: 'InternalIP', address: '10.0.0.5' },
      { type: 'Hostname', address: 'n' },
    ]);
  });
});

const printed = (list: ResourceList): Record<string, string> =>
  Object.fromEntries(Object.entries(list).map(([name, quantity]) => [name, quantity.toString()]));

const machine = {
  cpus: 4,
  memoryBytes: 8 * 2 ** 30,
  hugePages: [{ sizeBytes: 2 ** 21, count: 512 }],
  storageBytes: 100 * 2 ** 30,
};
const nothing = { kube: {}, system: {}, evictionHard: {} };

describe('the resources of a node', () => {
  it('are what the machine has', () => {
    expect(printed(nodeCapacity(machine, { maxPods: 110, podsPerCore: 0 }))).toEqual({
      cpu: '4',
      memory: '8Gi',
      'ephemeral-storage': '100Gi',
      'hugepages-2Mi': '1Gi',
      pods: '110',
    });
    const few = nodeCapacity({ ...machine, storageBytes: undefined, hugePages: [] }, { maxPods: 110, podsPerCore: 10 });
    expect(printed(few)).toEqual({ cpu: '4', memory: '8Gi', pods: '40' });
  });

  it('are allocatable without what is reserved, and memory without huge pages', () => {
    const capacity = nodeCapacity(machine, { maxPods: 110, podsPerCore: 0 });
    expect(printed(nodeAllocatable(capacity, nothing)).memory).toBe('7Gi');
    const reserved = {
      kube: parseReserved({ cpu: '200m', memory: '500Mi' }),
      system: parseReserved({ cpu: '300m', 'ephemeral-storage': '1Gi' }),
      evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'imagefs.available': '15%' },
    };
    expect(printed(nodeAllocatable(capacity, reserved))).toEqual({
      cpu: '3500m',
      memory: '6568Mi',
      'ephemeral-storage': '95563022176',
      'hugepages-2Mi': '1Gi',
      pods: '110',
    });
    expect(printed(enforcedAllocatable(capacity, reserved))).toMatchObject({ cpu: '3500m', memory: '7692Mi' });
    const off = { ...nothing, evictionHard: { 'memory.available': '0%', 'nodefs.available': '100%' } };
    expect(printed(nodeAllocatable(capacity, off))).toMatchObject({ memory: '7Gi', 'ephemeral-storage': '100Gi' });
  });

  it('cannot be reserved beyond what there is', () => {
    const capacity = nodeCapacity(machine, { maxPods: 110, podsPerCore: 0 });
    const reserved = { ...nothing, kube: parseReserved({ cpu: '3' }), system: parseReserved({ cpu: '2' }) };
    expect(() => checkReservations(capacity, reserved)).toThrow(
      'invalid Node Allocatable configuration. Resource "cpu" has a reservation of 5 but capacity of 4. Expected capacity >= reservation.',
    );
    expect(printed(nodeAllocatable(capacity, reserved)).cpu).toBe('0');
  });

  it.each<[reserved: Record<string, string>, message: string]>([
    [{ pods: '1' }, 'cannot reserve "pods" resource'],
    [{ cpu: 'x' }, 'failed to parse quantity "x" for "cpu" resource: quantities must match the regular expression'],
    [{ memory: '-1Gi' }, 'resource quantity for "memory" cannot be negative: -1Gi'],
  ])('cannot be reserved as %o', (reserved, message) => {
    expect(() => parseReserved(reserved)).toThrow(message);
  });

  it.each<[thresholds: Record<string, string>, message: string]>([
    [{ foo: '1' }, 'unsupported eviction signal foo'],
    [{ 'memory.available': '0' }, 'eviction threshold memory.available must be positive: 0'],
    [{ 'nodefs.available': '-1%' }, 'eviction percentage threshold nodefs.available must be >= 0%: -1%'],
    [{ 'nodefs.available': '101%' }, 'eviction percentage threshold nodefs.available must be <= 100%: 101%'],
    [{ 'nodefs.available': 'x%' }, 'strconv.ParseFloat: parsing "x": invalid syntax'],
  ])('have no thresholds like %o', (thresholds, message) => {
    expect(() => checkThresholds(thresholds)).toThrow(message);
  });
});
