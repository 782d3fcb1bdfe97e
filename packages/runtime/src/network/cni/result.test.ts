import { describe, expect, it } from 'vitest';
import { addressesOf, resultAsVersion } from './result.ts';

const current = {
  cniVersion: '1.0.0',
  interfaces: [{ name: 'br0' }, { name: 'eth0', sandbox: '/n' }],
  ips: [
    { address: '10.0.0.2/24', gateway: '10.0.0.1', interface: 1 },
    { address: 'fd00::2/64', interface: 1 },
  ],
  routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0', gw: 'fd00::1' }],
};

describe('resultAsVersion', () => {
  it('leaves a result of the same version as it is, and dates one without a version', () => {
    expect(resultAsVersion({ ...current, mine: 1 }, '1.0.0')).toEqual({ ...current, mine: 1 });
    expect(resultAsVersion({ ips: [] }, '0.4.0')).toEqual({ cniVersion: '0.4.0', ips: [] });
  });

  it('names the families before 1.0, and not since', () => {
    const old = resultAsVersion(current, '0.4.0');
    expect(old).toMatchObject({ ips: [{ version: '4', address: '10.0.0.2/24' }, { version: '6' }] });
    expect(resultAsVersion(old, '1.1.0')).toEqual({ ...current, cniVersion: '1.1.0' });
  });

  it('has one address of each family before 0.3', () => {
    const old = resultAsVersion(current, '0.2.0');
    expect(old).toEqual({
      cniVersion: '0.2.0',
      ip4: { ip: '10.0.0.2/24', gateway: '10.0.0.1', routes: [{ dst: '0.0.0.0/0' }] },
      ip6: { ip: 'fd00::2/64', routes: [{ dst: '::/0', gw: 'fd00::1' }] },
    });
    expect(addressesOf(old, 'eth0', '0.2.0')).toEqual(['10.0.0.2', 'fd00::2']);
  });

  it('refuses a version that nobody knows', () => {
    expect(() => resultAsVersion({ cniVersion: '9.0.0' }, '1.0.0')).toThrow(
      'cannot convert a result of version "9.0.0"',
    );
  });
});

describe('addressesOf', () => {
  it('takes those of the interface', () => {
    expect(addressesOf(current, 'eth0', '1.0.0')).toEqual(['10.0.0.2', 'fd00::2']);
    expect(addressesOf(current, 'eth1', '1.0.0')).toEqual([]);
    expect(() => addressesOf({ ips: [{ address: '1.1.1.1/32', interface: 3 }] }, 'eth0', '1.0.0')).toThrow(
      'interface number 3',
    );
  });
});
