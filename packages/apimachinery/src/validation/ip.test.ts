import { describe, expect, it } from 'vitest';
import { Path } from '../field/index.ts';
import { getWarningsForIP, isValidIP, isValidIPForLegacyField } from './ip.ts';
import { formatIP, parseIPSloppy } from './ip-address.ts';

const f = Path.of('f');
const invalidIP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

describe('parseIPSloppy', () => {
  it.each<[text: string, canonical: string | undefined]>([
    ['10.9.8.7', '10.9.8.7'],
    ['010.009.0000008.07', '10.9.8.7'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['0:0:1:0:0:0:1:0', '0:0:1::1:0'],
    ['1:0:0:2:0:0:3:4', '1::2:0:0:3:4'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::ffff:102:304', '1.2.3.4'],
    ['00000:0001::', '0:1::'],
    ['', undefined],
    ['1', undefined],
    ['1.2.3', undefined],
    ['1.2.3.256', undefined],
    ['1.2.3.4.5', undefined],
    ['1.2.3.', undefined],
    ['1.2.3.4 ', undefined],
    [':', undefined],
    [':::', undefined],
    ['1::2::3', undefined],
    ['1:2:3:4:5:6:7', undefined],
    ['1:2:3:4:5:6:7:8:9', undefined],
    ['1:2:3:4:5:6:7:8::', undefined],
    ['1:2:3:4::5:6:7:8', undefined],
    ['10000::', undefined],
    ['g::', undefined],
    ['::1.2.3', undefined],
    ['::1.2.3.4:5', undefined],
    ['fe80::1%eth0', undefined],
  ])('%s', (text, canonical) => {
    const ip = parseIPSloppy(text);
    expect(ip && formatIP(ip.bytes)).toBe(canonical);
  });
});

describe('addresses', () => {
  it.each<[value: string, strict: string | undefined, legacyStrict: string | undefined, warning: string | undefined]>([
    ['10.9.8.7', undefined, undefined, undefined],
    ['2001:db8::1', undefined, undefined, undefined],
    [
      '010.9.8.7',
      'must not have leading 0s',
      'must not have leading 0s',
      'f: non-standard IP address "010.9.8.7" is invalid: use "10.9.8.7"',
    ],
    [
      '::ffff:1.2.3.4',
      'must not be an IPv4-mapped IPv6 address',
      'must not be an IPv4-mapped IPv6 address',
      'f: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"',
    ],
    [
      '2001:DB8::1',
      'must be in canonical form ("2001:db8::1")',
      undefined,
      'f: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ],
  ])('%s', (value, strict, legacyStrict, warning) => {
    const errors = (problem: string | undefined) => (problem ? [`f: Invalid value: "${value}": ${problem}`] : []);
    expect(isValidIP(f, value).map(String)).toEqual(errors(strict));
    expect(isValidIPForLegacyField(f, value, true).map(String)).toEqual(errors(legacyStrict));
    expect(isValidIPForLegacyField(f, value, false)).toEqual([]);
    expect(isValidIPForLegacyField(f, value, true, ['x', value])).toEqual([]);
    expect(getWarningsForIP(f, value)).toEqual(warning ? [warning] : []);
  });

  it('that are invalid are refused everywhere', () => {
    expect(isValidIP(f, '1.2.3').map(String)).toEqual([`f: Invalid value: "1.2.3": ${invalidIP}`]);
    expect(isValidIPForLegacyField(f, '1.2.3', false).map(String)).toEqual([`f: Invalid value: "1.2.3": ${invalidIP}`]);
    expect(getWarningsForIP(f, '1.2.3')).toEqual([]);
  });
});
