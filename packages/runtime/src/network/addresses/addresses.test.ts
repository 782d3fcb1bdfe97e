import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AddressPool } from './address-pool.ts';
import { AddressRange, addressRanges } from './address-range.ts';

describe('AddressRange', () => {
  it.each([
    ['10.1.2.0/24', '10.1.2.1', '10.1.2.2', '10.1.2.254', 253n],
    ['10.1.2.77/30', '10.1.2.77', '10.1.2.78', '10.1.2.78', 1n],
    ['fd00:1::/120', 'fd00:1::1', 'fd00:1::2', 'fd00:1::ff', 254n],
  ])('knows the addresses of %s', (text, gateway, first, last, size) => {
    const range = new AddressRange(text);
    expect([range.gateway, range.address(0n), range.address(range.size - 1n), range.size]).toEqual([
      gateway,
      first,
      last,
      size,
    ]);
    expect(range.indexOf(last)).toBe(size - 1n);
    expect(range.contains(gateway)).toBe(false);
    expect(range.contains('192.0.2.1')).toBe(false);
  });

  it('refuses what has no room, and what is no network', () => {
    expect(() => new AddressRange('10.0.0.0/31')).toThrow('no room');
    expect(() => new AddressRange('10.0.0.0')).toThrow('invalid CIDR "10.0.0.0"');
  });

  it('reads lists', () => {
    expect(addressRanges('10.0.0.9/24, fd00::/64').map(String)).toEqual(['10.0.0.0/24', 'fd00::/64']);
    expect(addressRanges('')).toEqual([]);
  });
});

describe('AddressPool', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'coxswain-addresses-'));
  });
  afterEach(() => rm(directory, { recursive: true }));
  const ranges = addressRanges('10.0.0.0/29,fd00::/64');

  it('assigns no address twice: at once, after a restart, by two processes', async () => {
    const pools = [new AddressPool({ directory }), new AddressPool({ directory })];
    const assigned = await Promise.all(['a', 'b', 'c', 'd'].map((owner, i) => pools[i % 2]!.assign(owner, ranges)));
    assigned.push(await new AddressPool({ directory }).assign('e', ranges));
    expect(new Set(assigned.flat()).size).toBe(10);
    await expect(pools[0]!.assign('f', ranges)).rejects.toThrow(
      'no IP addresses available in range set: 10.0.0.2-10.0.0.6',
    );
  });

  it('uses a released address when all others had their turn, also after a restart', async () => {
    const pool = new AddressPool({ directory });
    expect(await pool.assign('a', ranges)).toEqual(['10.0.0.2', 'fd00::2']);
    await pool.release('a');
    expect(await pool.assign('b', ranges)).toEqual(['10.0.0.3', 'fd00::3']);
    const later = new AddressPool({ directory });
    await later.release('b');
    const next = [];
    for (const owner of ['c', 'd', 'e', 'f']) next.push((await later.assign(owner, ranges))[0]);
    expect(next).toEqual(['10.0.0.4', '10.0.0.5', '10.0.0.6', '10.0.0.2']);
  });

  it('assigns nothing if one range is full', async () => {
    const pool = new AddressPool({ directory });
    const small = addressRanges('10.9.0.0/24,fd00:9::/126');
    await pool.assign('a', small);
    await pool.assign('b', small);
    await expect(pool.assign('c', small)).rejects.toThrow('no IP addresses');
    expect([...(await pool.owners()).values()].sort()).toEqual(['a', 'a', 'b', 'b']);
  });

  it('releases what belongs to nobody, also if the owner is unreadable', async () => {
    await new AddressPool({ directory }).assign('a', ranges);
    await writeFile(join(directory, '10.0.0.4'), '');
    await writeFile(join(directory, 'fd00__9'), 'b');
    const pool = new AddressPool({ directory });
    await pool.keepOnly(new Set(['a']));
    expect((await readdir(directory)).filter((name) => !name.startsWith('last.'))).toEqual(['10.0.0.2', 'fd00__2']);
  });
});
