import type { EndpointSubset } from '@coxswain/api/core/v1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repackSubsets } from './subsets.ts';
import { truncateSubsets } from './truncate-subsets.ts';

const http = { name: 'http', port: 80, protocol: 'TCP' } as const;
const https = { name: 'https', port: 443, protocol: 'TCP' } as const;
const metrics = { name: 'metrics', port: 9090, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' } as const;
const at = (...ips: string[]) => ips.map((ip) => ({ ip }));

describe('repackSubsets', () => {
  it.each<[string, EndpointSubset[], EndpointSubset[]]>([
    ['returns nothing for nothing', [], []],
    ['drops subsets without addresses', [{ ports: [http] }, { addresses: [], ports: [https] }], []],
    [
      'combines the ports of the same addresses',
      [
        { addresses: at('1', '2'), ports: [http] },
        { addresses: at('2', '1'), ports: [https] },
      ],
      [{ addresses: at('1', '2'), ports: [http, https] }],
    ],
    [
      'combines ready and not ready addresses with the same ports',
      [
        { addresses: at('2'), ports: [http] },
        { notReadyAddresses: at('1'), ports: [http] },
      ],
      [{ addresses: at('2'), notReadyAddresses: at('1'), ports: [http] }],
    ],
    [
      'treats an address as not ready if it is not ready in one subset',
      [
        { addresses: at('1'), ports: [http] },
        { notReadyAddresses: at('1'), ports: [http] },
      ],
      [{ notReadyAddresses: at('1'), ports: [http] }],
    ],
    ['keeps addresses without ports', [{ addresses: at('2') }, { addresses: at('1') }], [{ addresses: at('1', '2') }]],
    [
      'keeps two pods with the same address apart',
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

  it('sorts as kube-controller-manager v1.36 does', () => {
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

  it('does not depend on the order of the input', () => {
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

describe('truncateSubsets', () => {
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
    ['keeps up to a thousand addresses', [subset(600, 400)], [[600, 400]]],
    ['removes addresses that are not ready first', [subset(900, 300)], [[900, 100]]],
    ['keeps only ready addresses when those are too many', [subset(1100, 5)], [[1000, 0]]],
    [
      'shrinks the subsets in proportion',
      [subset(1000), subset(500), subset(500, 9)],
      [
        [500, 0],
        [250, 0],
        [250, 0],
      ],
    ],
    [
      'gives the last subset the rounding remainder',
      [subset(400), subset(400), subset(401)],
      [
        [334, 0],
        [334, 0],
        [332, 0],
      ],
    ],
    [
      'shrinks the not ready addresses in proportion',
      [subset(500, 500), subset(100, 500)],
      [
        [500, 200],
        [100, 200],
      ],
    ],
  ])('%s', (_, subsets, expected) => expect(sizes(subsets)).toEqual(expected));
});
