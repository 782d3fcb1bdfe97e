import type { Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const endpoints = (...subsets: object[]): Case => ({ create: 'endpoints', change: edit({ subsets }) });
const slice = (changes: Record<string, unknown>): Case => ({ create: 'slice', change: edit(changes) });
const update = (base: string, changes: Record<string, unknown>): Case => ({ update: base, change: edit(changes) });
const addresses = [{ ip: '192.0.2.1' }];
const many = (count: number, make: (i: number) => unknown) => Array.from({ length: count }, (_, i) => make(i));
const hints = (value: object) => slice({ endpoints: [{ addresses: ['192.0.2.1'], hints: value }] });

export const suite: CaseSuite = {
  bases: {
    endpoints: {
      object: {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { name: 'web' },
        subsets: [
          { addresses, ports: [{ port: 80 }] },
          {
            addresses: [{ ip: '192.0.2.2' }, { ip: '2001:db8::1' }],
            ports: [
              { port: 1, name: 'a' },
              { port: 2, name: 'b' },
            ],
          },
        ],
      },
    },
    empty: { object: { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'empty' } } },
    portless: {
      object: { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'portless' }, subsets: [{ addresses }] },
    },
    slice: {
      object: {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: 'web-1' },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['192.0.2.1'] }, { addresses: ['192.0.2.2', '192.0.2.3', '192.0.2.4'] }],
        ports: [{ port: 80 }, { name: 'any' }, { name: 'c', port: 3 }, { name: 'd', port: 4 }],
      },
    },
    emptySlice: {
      object: {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: 'empty' },
        addressType: 'FQDN',
        endpoints: [],
      },
    },
  },
  cases: {
    'endpoints get a protocol': endpoints({ addresses, ports: [{ port: 80 }] }),
    'endpoints may be empty': { create: 'empty' },
    'a subset has addresses': endpoints({ ports: [{ port: 80 }] }),
    'addresses are judged': endpoints({
      addresses: [
        { ip: 'here' },
        { ip: '127.0.0.1' },
        { ip: '010.0.0.1' },
        { ip: '::ffff:192.0.2.1' },
        { ip: '192.0.2.1', hostname: 'Bad_Name', nodeName: 'Bad_Node' },
      ],
      notReadyAddresses: [{ ip: '0.0.0.0' }, { ip: '' }],
    }),
    'ports are judged': endpoints({
      addresses,
      ports: [
        { port: 0 },
        { name: 'Bad_Name', port: 70000, protocol: 'ICMP' },
        { name: 'a', port: 1, appProtocol: 'x y' },
      ],
    }),
    'odd addresses cause warnings': endpoints({
      addresses: [{ ip: '2001:DB8::1' }],
      notReadyAddresses: [{ ip: '2001:db8:0::2' }],
    }),
    'the controller writes addresses as it likes': {
      create: 'endpoints',
      change: edit({
        'metadata.labels[endpoints.kubernetes.io/managed-by]': 'endpoint-controller',
        subsets: [{ addresses: [{ ip: '2001:DB8::1' }] }],
      }),
    },
    'endpoints can be changed': update('endpoints', { subsets: [{ addresses, ports: [{ port: 81 }] }] }),
    'endpoints stay valid': update('endpoints', { 'subsets.0.addresses.0.ip': '0.0.0.0' }),
    'labels of endpoints are judged': update('endpoints', { 'metadata.labels': { a: '-' } }),
    'endpoints are printed': { table: 'endpoints' },
    'endpoints without ports are printed': { table: 'portless' },
    'no endpoints are printed': { table: 'empty' },

    'a slice gets its defaults': slice({}),
    'an address type is required': slice({ addressType: undefined }),
    'an address type is known': slice({ addressType: 'IPX' }),
    'IPv4 addresses are judged': slice({
      endpoints: [{ addresses: ['here', '2001:db8::1', '127.0.0.1', '010.0.0.1', '192.0.2.1'] }],
    }),
    'IPv6 addresses are judged': slice({
      addressType: 'IPv6',
      endpoints: [{ addresses: ['here', '192.0.2.1', '::1', '2001:DB8::1', '2001:db8::1'] }],
    }),
    'domain names are judged': slice({
      addressType: 'FQDN',
      endpoints: [{ addresses: ['example', 'Bad_.example.com', 'web.example.com', ''] }],
    }),
    'domain names are deprecated': slice({ addressType: 'FQDN', endpoints: [{ addresses: ['web.example.com'] }] }),
    'an endpoint has an address': slice({ endpoints: [{ addresses: [] }] }),
    'an endpoint has not too many addresses': slice({
      endpoints: [{ addresses: many(101, (i) => `192.0.2.${i}`) }],
    }),
    'a slice has not too many endpoints': slice({ endpoints: many(1001, () => ({ addresses: ['192.0.2.1'] })) }),
    'names of an endpoint are judged': slice({
      endpoints: [{ addresses: ['192.0.2.1'], hostname: 'Bad_Name', nodeName: 'Bad_Node', zone: 'anywhere' }],
    }),
    'topology is dropped': slice({
      endpoints: [{ addresses: ['192.0.2.1'], deprecatedTopology: { 'kubernetes.io/hostname': 'n1' } }],
    }),
    'ports of a slice are judged': slice({
      ports: [
        { name: 'Bad_Name', port: 0 },
        { name: 'a', protocol: 'ICMP' },
        { name: 'a', appProtocol: 'x y' },
        { port: 1 },
        { port: 2 },
      ],
    }),
    'zones are judged': hints({ forZones: [{ name: 'a' }, { name: 'a' }, { name: '-' }] }),
    'nodes are judged': hints({ forNodes: [{ name: 'a' }, { name: 'a' }, { name: '-' }] }),
    'there are not too many zones': hints({ forZones: many(9, (i) => ({ name: `z${i}` })) }),
    'there are not too many nodes': hints({ forZones: [{ name: '-' }], forNodes: many(9, (i) => ({ name: `n${i}` })) }),
    'odd addresses of a slice are refused': slice({
      addressType: 'IPv6',
      endpoints: [{ addresses: ['2001:db8:0::1'] }],
    }),
    'a slice can be changed': update('slice', { 'endpoints.0.conditions': { ready: true } }),
    'labels of a slice count as a change': update('slice', { 'metadata.labels': { a: 'b' } }),
    'annotations of a slice do not': update('slice', { 'metadata.annotations': { a: 'b' } }),
    'the address type stays': update('slice', { addressType: 'IPv6', endpoints: [] }),
    'endpoints of a slice stay valid': update('slice', { 'endpoints.0.addresses.0': 'x' }),
    'labels of a slice are judged': update('slice', { 'metadata.labels': { a: '-' } }),
    'a slice is printed': { table: 'slice' },
    'an empty slice is printed': { table: 'emptySlice' },
  },
};
