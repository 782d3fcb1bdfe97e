import { describe, expect, it } from 'vitest';
import { AddressRange, parseAddress } from './address-range.ts';
import { PortRange } from './port-range.ts';

describe('a range of ports', () => {
  it.each([
    ['30000-32767', '30000-32767'],
    [' 30000+10 ', '30000-30010'],
    ['8080', '8080-8080'],
    ['', ''],
  ])('%j is %s', (text, expected) => {
    expect(PortRange.parse(text).toString()).toBe(expected);
  });

  it.each([
    ['abc', 'strconv.Atoi: parsing "abc": invalid syntax'],
    ['-5', 'strconv.Atoi: parsing "": invalid syntax'],
    ['1-2-3', 'strconv.Atoi: parsing "2-3": invalid syntax'],
    ['1-2+3', 'unable to parse port range: 1-2+3'],
    ['1-65536', 'the port range cannot be greater than 65535: 1-65536'],
    ['2-1', 'end port cannot be less than start port: 2-1'],
  ])('%j is invalid', (text, message) => {
    expect(() => PortRange.parse(text)).toThrow(message);
  });
});

describe('a range of addresses', () => {
  const has = (cidr: string, address: string) => AddressRange.parse(cidr)?.contains(parseAddress(address)!.number);

  it.each([
    ['10.0.0.0/24', '10.0.0.0', false],
    ['10.0.0.0/24', '10.0.0.1', true],
    ['10.0.0.0/24', '10.0.0.254', true],
    ['10.0.0.0/24', '10.0.0.255', false],
    ['10.0.0.0/24', '10.0.1.1', false],
    ['10.0.0.0/24', 'fd00::1', false],
    ['10.0.0.0/32', '10.0.0.0', false],
    ['fd00::/120', 'fd00::', false],
    ['fd00::/120', 'fd00::ff', true],
    ['fd00::/120', 'fd00::100', false],
    ['fd00::/64', 'fd00::ffff:ffff:ffff:ffff', true],
  ])('%s contains %s: %s', (cidr, address, expected) => {
    expect(has(cidr, address)).toBe(expected);
  });

  it.each([
    ['10.0.0.0/32', 0],
    ['10.0.0.0/31', 0],
    ['10.0.0.0/30', 2],
    ['10.0.0.0/28', 14],
    ['10.0.0.0/22', 1022],
    ['fd00::/128', 0],
    ['fd00::/127', 1],
    ['fd00::/118', 1023],
  ])('%s has %d addresses to allocate', (cidr, expected) => {
    const range = AddressRange.parse(cidr)!;
    const given = new Set<string>();
    for (;;) {
      const address = range.findFree(Math.random);
      if (address === undefined) break;
      range.mark(parseAddress(address)!.number, true);
      given.add(address);
    }
    expect(given.size).toBe(expected);
    for (const address of given) expect(has(cidr, address)).toBe(true);
  });

  it('may be very large', () => {
    const range = AddressRange.parse('fd00::/64')!;
    range.mark(parseAddress('fd00::ffff:ffff:ffff:ffff')!.number, true);
    expect([range.findFree(() => 0), range.findFree(() => 0.999_999_999), range.at(1)]).toEqual([
      'fd00::101',
      'fd00::f:ffff',
      'fd00::1',
    ]);
  });

  it('returns a released address again', () => {
    const range = AddressRange.parse('10.0.0.0/30')!;
    for (const address of ['10.0.0.1', '10.0.0.2']) range.mark(parseAddress(address)!.number, true);
    expect(range.findFree(Math.random)).toBeUndefined();
    range.mark(parseAddress('10.0.0.2')!.number, false);
    expect(range.findFree(Math.random)).toBe('10.0.0.2');
  });
});
