import { describe, expect, it } from 'vitest';
import { Path } from '../field/index.ts';
import { getWarningsForCIDR, isValidCIDR, isValidCIDRForLegacyField, isValidInterfaceAddress } from './cidr.ts';

const f = Path.of('f');

describe('networks', () => {
  it.each<[value: string, strict: string | undefined, legacyStrict: string | undefined, warning: string | undefined]>([
    ['10.0.0.0/8', undefined, undefined, undefined],
    ['0.0.0.0/0', undefined, undefined, undefined],
    ['2001:db8::/64', undefined, undefined, undefined],
    ['::/0', undefined, undefined, undefined],
    ['10.9.8.7/32', undefined, undefined, undefined],
    [
      '10.0.0.1/8',
      'must not have bits set beyond the prefix length',
      'must not have bits set beyond the prefix length',
      'CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
    ],
    [
      '2001:db8::1/64',
      'must not have bits set beyond the prefix length',
      'must not have bits set beyond the prefix length',
      'CIDR value "2001:db8::1/64" is ambiguous in this context (should be "2001:db8::/64" or "2001:db8::1/128"?)',
    ],
    [
      '010.0.0.0/8',
      'must not have leading 0s in IP or prefix length',
      'must not have leading 0s in IP or prefix length',
      'non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8"',
    ],
    [
      '10.0.0.0/08',
      'must not have leading 0s in IP or prefix length',
      'must not have leading 0s in IP or prefix length',
      'non-standard CIDR value "10.0.0.0/08" is invalid: use "10.0.0.0/8"',
    ],
    [
      '::ffff:1.2.3.0/120',
      'must not have an IPv4-mapped IPv6 address',
      'must not have an IPv4-mapped IPv6 address',
      'non-standard CIDR value "::ffff:1.2.3.0/120" is invalid: use "1.2.3.0/24"',
    ],
    [
      '2001:db8:0::/64',
      'must be in canonical form ("2001:db8::/64")',
      undefined,
      'IPv6 CIDR value "2001:db8:0::/64" should be in RFC 5952 canonical format ("2001:db8::/64")',
    ],
  ])('%s', (value, strict, legacyStrict, warning) => {
    const errors = (problem: string | undefined) => (problem ? [`f: Invalid value: "${value}": ${problem}`] : []);
    expect(isValidCIDR(f, value).map(String)).toEqual(errors(strict));
    expect(isValidCIDRForLegacyField(f, value, true).map(String)).toEqual(errors(legacyStrict));
    expect(isValidCIDRForLegacyField(f, value, false)).toEqual([]);
    expect(isValidCIDRForLegacyField(f, value, true, [value])).toEqual([]);
    expect(getWarningsForCIDR(f, value)).toEqual(warning ? [`f: ${warning}`] : []);
  });

  it.each(['10.0.0.0', '1.2.3.4/33', '::/129', '1.2.3/8', '1.2.3.4/', '1.2.3.4/-1', '1.2.3.4/8/8', '/8'])(
    'not %s',
    (value) => {
      const message = `f: Invalid value: "${value}": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`;
      expect(isValidCIDR(f, value).map(String)).toEqual([message]);
      expect(isValidCIDRForLegacyField(f, value, false).map(String)).toEqual([message]);
      expect(getWarningsForCIDR(f, value)).toEqual([]);
    },
  );

  it.each<[value: string, problem: string | undefined]>([
    ['10.9.8.7/24', undefined],
    ['2001:db8::1/64', undefined],
    ['10.9.8.7/024', 'must be in canonical form ("10.9.8.7/24")'],
    ['2001:DB8::1/64', 'must be in canonical form ("2001:db8::1/64")'],
    ['::ffff:1.2.3.4/120', 'must be in canonical form ("1.2.3.4/24")'],
    ['::ffff:1.2.3.4/24', 'must be in canonical form ("1.2.3.4/24")'],
    ['10.9.8.7', 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'],
  ])('with an address in them: %s', (value, problem) => {
    const errors = problem ? [`f: Invalid value: "${value}": ${problem}`] : [];
    expect(isValidInterfaceAddress(f, value).map(String)).toEqual(errors);
  });
});
