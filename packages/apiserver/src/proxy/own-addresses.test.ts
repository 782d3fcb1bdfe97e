import type { Endpoints, Service } from '@coxswain/api/core/v1';
import type { NetworkInterfaces } from '@coxswain/component-base/http';
import { describe, expect, it } from 'vitest';
import { ownAddresses } from './own-addresses.ts';

const service: Service = {
  metadata: { name: 'kubernetes', namespace: 'default' },
  spec: {
    clusterIP: '10.96.0.1',
    clusterIPs: ['10.96.0.1', 'fd00:10:96::1'],
    externalIPs: ['192.0.2.50'],
    ports: [{ port: 443, targetPort: 6443, nodePort: 30443 }],
  },
  status: { loadBalancer: { ingress: [{ ip: '192.0.2.60' }, { hostname: 'balancer' }] } },
};
const endpoints: Endpoints = {
  metadata: { name: 'kubernetes', namespace: 'default' },
  subsets: [{ addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: [{ port: 6443 }] }],
};
const interfaceOf = (address: string) =>
  [{ address, netmask: '', mac: '', internal: false, cidr: null, family: 'IPv4' }] as const;
const interfaces: NetworkInterfaces = {
  eth0: [...interfaceOf('198.51.100.7')],
  eth1: [...interfaceOf('fe80::1%eth1')],
};

const isOwn = (host: string | undefined, advertiseAddress = '192.0.2.1') =>
  ownAddresses({
    listening: () => (host === undefined ? undefined : { host, port: 6443 }),
    advertiseAddress,
    services: { get: () => service },
    endpoints: { get: () => endpoints },
    interfaces: () => interfaces,
  });

describe('ownAddresses is true', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
    ['127.0.0.1', '::ffff:7f00:1'],
    ['127.0.0.1', '0.0.0.0'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['::1', '::'],
    ['198.51.100.7', '198.51.100.7'],
    ['198.51.100.7', '192.0.2.1'],
    ['0.0.0.0', '127.0.0.1'],
    ['0.0.0.0', '127.8.9.10'],
    ['0.0.0.0', '198.51.100.7'],
    ['::', '::1'],
    ['::', '127.0.0.1'],
    ['::', '::ffff:198.51.100.7'],
    ['::', 'fe80::1%eth1'],
    ['::', 'fe80::1%2'],
  ])('where we listen at %s: %s', (host, address) => {
    expect(isOwn(host, '192.0.2.1')(address, 6443)).toBe(true);
    expect(isOwn(host)(address, 10250)).toBe(false);
  });

  it.each([
    ['10.96.0.1', 443],
    ['::ffff:10.96.0.1', 443],
    ['fd00:10:96::1', 443],
    ['fd00:10:96:0::1', 443],
    ['192.0.2.50', 443],
    ['192.0.2.60', 443],
    ['127.0.0.1', 30443],
    ['198.51.100.7', 30443],
    ['192.0.2.2', 6443],
  ])('for an address of the service kubernetes: %s, port %i', (address, port) => {
    expect(isOwn('127.0.0.1')(address, port)).toBe(true);
    expect(isOwn('127.0.0.1')(address, port + 1)).toBe(false);
  });
});

describe('ownAddresses is false', () => {
  it.each([
    ['127.0.0.1', '127.0.0.2'],
    ['127.0.0.1', '198.51.100.7'],
    ['198.51.100.7', '127.0.0.1'],
    ['198.51.100.7', '0.0.0.0'],
    ['0.0.0.0', '198.51.100.8'],
    [undefined, '127.0.0.1'],
  ])('where we listen at %s: %s', (host, address) => {
    expect(isOwn(host)(address, 6443)).toBe(false);
  });
});
