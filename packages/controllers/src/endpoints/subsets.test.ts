import type { EndpointSubset } from '@coxswain/api/core/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repackSubsets } from './subsets.ts';
import { truncateSubsets } from './truncate-subsets.ts';

const http = { name: 'http', port: 80, protocol: 'TCP' } as const;
const https = { name: 'https', port: 443, protocol: 'TCP' } as const;
const metrics = { name: 'metrics', port: 9090, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' } as const;
const at = (...ips: string[]) => ips.map((ip) => ({ ip }));

describe('subsets are repacked', () => {
  it.each<[string, EndpointSubset[], EndpointSubset[]]>([
    ['to none from none', [], []],
    ['without those that have no addresses', [{ ports: [http] }, { addresses: [], ports: [https] }], []],
    [
      'by the ports that addresses have in common',
      [
        { addresses: at('1', '2'), ports: [http] },
        { addresses: at('2', '1'), ports: [https] },
      ],
      [{ addresses: at('1', '2'), ports: [http, https] }],
    ],
    [
      'with those that are not ready in a list of their own',
      [
        { addresses: at('2'), ports: [http] },
        { notReadyAddresses: at('1'), ports: [http] },
      ],
      [{ addresses: at('2'), notReadyAddresses: at('1'), ports: [http] }],
    ],
    [
      'and what is not ready in one place is not',
      [
        { addresses: at('1'), ports: [http] },
        { notReadyAddresses: at('1'), ports: [http] },
      ],
      [{ notReadyAddresses: at('1'), ports: [http] }],
    ],
    ['and what has no ports stays', [{ addresses: at('2') }, { addresses: at('1') }], [{ addresses: at('1', '2') }]],
    [
      'but pods that share an address stay two',
      [
        {
          addresses: [
            { ip: '1', targetRef: { uid: 'b' } },
            { ip: '1', targetRef: { uid: 'a' } },
          ],
          ports: [http],
        },
      ],
      [
        {
          addresses: [
            { ip: '1', targetRef: { uid: 'a' } },
            { ip: '1', targetRef: { uid: 'b' } },
          ],
          ports: [http],
        },
      ],
    ],
  ])('%s', (_, subsets, repacked) => expect(repackSubsets(subsets)).toEqual(repacked));

  it('in the order that kube-controller-manager v1.36 has', () => {
    const targetRef = { kind: 'Pod', namespace: 'a', name: 'p', uid: 'u1' };
    const first = { ip: '10.0.0.1', nodeName: 'n1', targetRef };
    const second = { ip: '10.0.0.2', hostname: 'h' };
    const third = { ip: '10.0.0.3' };
    const repacked = repackSubsets([
      { addresses: [first, second], ports: [http] },
      { notReadyAddresses: [second] },
      { notReadyAddresses: [third], ports: [https, http] },
    ]);
    expect(repacked).toEqual([
      { notReadyAddresses: [third], ports: [https] },
      { addresses: [first, second], notReadyAddresses: [third], ports: [http] },
      { notReadyAddresses: [second] },
    ]);
    const ports = [{ ...http, port: 8080 }, metrics, { ...https, port: 8443 }];
    expect(repackSubsets([{ addresses: [third], ports: [...ports].reverse() }])[0]!.ports).toEqual(ports);
  });

  it('to the same, whatever the order they come in', () => {
    const port = fc.constantFrom(http, https, metrics);
    const subset = fc.record({
      addresses: fc.subarray(at('1', '2', '3')),
      notReadyAddresses: fc.subarray(at('4', '5')),
      ports: fc.uniqueArray(port),
    });
    fc.assert(
      fc.property(fc.array(subset, { maxLength: 5 }), (subsets) => {
        const repacked = repackSubsets(subsets);
        expect(repackSubsets(repacked)).toEqual(repacked);
        expect(repackSubsets([...subsets].reverse())).toEqual(repacked);
      }),
    );
  });
});

describe('more addresses than there may be are cut', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }));
  const sizes = (subsets: readonly EndpointSubset[]) =>
    truncateSubsets(subsets).map(({ addresses = [], notReadyAddresses = [] }) => [
      addresses.length,
      notReadyAddresses.length,
    ]);
  const subset = (ready: number, notReady = 0): EndpointSubset => ({
    addresses: many(ready),
    notReadyAddresses: many(notReady),
  });

  it.each<[string, EndpointSubset[], number[][]]>([
    ['not when there is room for all', [subset(600, 400)], [[600, 400]]],
    ['those that are not ready first', [subset(900, 300)], [[900, 100]]],
    ['and only those that are ready stay when they are too many', [subset(1100, 5)], [[1000, 0]]],
    [
      'each subset by its part',
      [subset(1000), subset(500), subset(500, 9)],
      [
        [500, 0],
        [250, 0],
        [250, 0],
      ],
    ],
    [
      'what cannot be shared out evenly is short in the last',
      [subset(400), subset(400), subset(401)],
      [
        [334, 0],
        [334, 0],
        [332, 0],
      ],
    ],
    [
      'in each of two that are not ready',
      [subset(500, 500), subset(100, 500)],
      [
        [500, 200],
        [100, 200],
      ],
    ],
  ])('%s', (_, subsets, expected) => expect(sizes(subsets)).toEqual(expected));
});
