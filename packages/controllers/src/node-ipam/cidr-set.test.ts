import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CidrSet } from './cidr-set.ts';
import { formatNetwork, type Network, parseNetwork } from './network.ts';

const network = (text: string): Network => parseNetwork(text)!;
const allocate = (set: CidrSet): string => formatNetwork(set.allocateNext());

describe('parseNetwork and formatNetwork', () => {
  it.each(['10.0.0.0/8', '0.0.0.0/0', '127.0.0.128/25', '2001:db8::/56', '::/0', 'fd00:1:2:3:4::/80'])('%s', (text) => {
    expect(formatNetwork(network(text))).toBe(text);
  });
  it('mask the host bits', () => expect(formatNetwork(network('10.1.2.3/16'))).toBe('10.1.0.0/16'));
  it('reject an address', () => expect(parseNetwork('10.1.2.3')).toBeUndefined());
});

describe('CidrSet', () => {
  it.each([
    ['127.123.234.0/28', 30, ['127.123.234.0/30', '127.123.234.4/30', '127.123.234.8/30', '127.123.234.12/30']],
    ['beef:1234::/62', 64, ['beef:1234::/64', 'beef:1234:0:1::/64', 'beef:1234:0:2::/64', 'beef:1234:0:3::/64']],
    ['2001:db8:ffff::/63', 65, ['2001:db8:ffff::/65', '2001:db8:ffff:0:8000::/65', '2001:db8:ffff:1::/65']],
  ] as const)('allocates ranges of %s', (cluster, size, ranges) => {
    const set = new CidrSet(network(cluster), size);
    expect(ranges.map(() => allocate(set))).toEqual(ranges);
  });

  it('throws when exhausted, and reuses released ranges', () => {
    const set = new CidrSet(network('10.0.0.0/30'), 32);
    for (let i = 0; i < 4; i++) set.allocateNext();
    expect(() => set.allocateNext()).toThrow(
      'CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range',
    );
    set.release(network('10.0.0.2/32'));
    expect(allocate(set)).toBe('10.0.0.2/32');
    set.release(network('10.0.0.0/31'));
    expect([allocate(set), allocate(set)]).toEqual(['10.0.0.0/32', '10.0.0.1/32']);
  });

  it.each([
    ['within', '10.0.0.128/26', '10.0.1.0/24'],
    ['covering several ranges', '10.0.0.0/23', '10.0.2.0/24'],
    ['at another place', '10.0.3.0/24', '10.0.0.0/24'],
  ])('occupies all ranges that overlap a network %s', (_, taken, next) => {
    const set = new CidrSet(network('10.0.0.0/22'), 24);
    set.occupy(network(taken));
    set.occupy(network(taken));
    expect(allocate(set)).toBe(next);
  });

  it('is exhausted when a larger network is occupied', () => {
    const set = new CidrSet(network('10.0.0.0/22'), 24);
    set.occupy(network('10.0.0.0/8'));
    expect(() => set.allocateNext()).toThrow('no remaining CIDRs');
  });

  it('rejects networks outside its range and invalid sizes', () => {
    const set = new CidrSet(network('10.0.0.0/22'), 24);
    expect(() => set.occupy(network('10.1.0.0/24'))).toThrow(
      'cidr 10.1.0.0/24 is out the range of cluster cidr 10.0.0.0/22',
    );
    expect(() => set.release(network('fd00::/64'))).toThrow('out the range');
    expect(() => new CidrSet(network('10.0.0.0/24'), 22)).toThrow('mask size of cluster CIDR must be less');
    expect(() => new CidrSet(network('fd00::/48'), 65)).toThrow('the node CIDR size is too big');
  });

  it('never allocates a range twice', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(15)), { maxLength: 60 }), (steps) => {
        const set = new CidrSet(network('10.0.0.0/20'), 24);
        const held = new Set<string>();
        for (const release of steps) {
          const given = release === null ? undefined : [...held][release];
          if (given !== undefined) {
            held.delete(given);
            set.release(network(given));
          } else if (held.size < 16) {
            const range = allocate(set);
            expect(held.has(range)).toBe(false);
            held.add(range);
          } else expect(() => set.allocateNext()).toThrow();
        }
      }),
    );
  });
});
