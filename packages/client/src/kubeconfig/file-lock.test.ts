import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileLock, identityOf } from './file-lock.ts';
import { ownLock } from './lock-owner.ts';
import { tempDir } from './temp-dir.test-data.ts';

const path = async (text?: string): Promise<string> =>
  join(await tempDir(text === undefined ? {} : { 'config.lock': text }), 'config.lock');
const now = (): number => Date.now();
const ownerOf = (changes: object): string => JSON.stringify({ ...ownLock(), ...changes });

/** The pid of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid!;
}

/** Path of the lock that guards the removal of an abandoned lock. */
async function rightTo(file: string): Promise<string> {
  const { ino, mtimeNs } = await stat(file, { bigint: true });
  return `${file}.${identityOf(ino, mtimeNs, await readFile(file, 'utf8'))}`;
}

describe('a lock', () => {
  it('has one holder until that releases it, and records its owner', async () => {
    const file = await path();
    const lock = await FileLock.tryAcquire(file, now());
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    // Regardless of its age.
    expect(await FileLock.tryAcquire(file, now() + 3_600_000)).toBeUndefined();
    await lock?.release();
    expect(await readdir(join(file, '..'))).toEqual([]);
    expect(await FileLock.tryAcquire(file, now())).toBeDefined();
  });

  it('is taken from a process that has ended', async () => {
    const file = await path(ownerOf({ pid: await deadPid() }));
    expect(await FileLock.tryAcquire(file, now())).toBeDefined();
  });

  it.runIf(process.platform === 'linux').each([
    ['another process has the pid now', { started: '1' }],
    ['the machine was rebooted since', { boot: 'another' }],
  ])('is taken when %s', async (_, changes) => {
    const file = await path(ownerOf(changes));
    expect(await FileLock.tryAcquire(file, now())).toBeDefined();
  });

  it.each([
    ['it is empty, like those of kubectl', ''],
    ['its content is truncated', '{"id":"ab'],
    ['its process is on another machine', ownerOf({ host: 'elsewhere' })],
    ['its process is in another container', ownerOf({ namespace: 'pid:[1]' })],
  ])('is taken only when it is old if %s', async (_, text) => {
    const file = await path(text);
    expect(await FileLock.tryAcquire(file, now() + 9_000)).toBeUndefined();
    expect(await FileLock.tryAcquire(file, now() + 11_000)).toBeDefined();
  });

  it('is taken only when it is old if it is not readable', async () => {
    const file = await path('');
    await chmod(file, 0);
    expect(await FileLock.tryAcquire(file, now() + 9_000)).toBeUndefined();
    expect(await FileLock.tryAcquire(file, now() + 11_000)).toBeDefined();
  });

  it('is not released by its former holder after another process took it', async () => {
    const file = await path();
    const late = await FileLock.tryAcquire(file, now());
    await writeFile(file, ownerOf({}));
    await late?.release();
    expect(await readdir(join(file, '..'))).toEqual(['config.lock']);
  });

  it('is taken by only one of several processes when it is abandoned', async () => {
    const pid = await deadPid();
    for (let round = 0; round < 50; round++) {
      const file = await path(ownerOf({ pid }));
      const taken = await Promise.all(Array.from({ length: 8 }, () => FileLock.tryAcquire(file, now())));
      const holders = taken.filter((lock) => lock !== undefined);
      expect(holders.length).toBeLessThanOrEqual(1);
      const holder = holders[0] ?? (await FileLock.tryAcquire(file, now()));
      expect(await readdir(join(file, '..'))).toEqual(['config.lock']);
      await holder?.release();
    }
  });

  it('is taken when the process that was removing it was killed, too', async () => {
    const pid = await deadPid();
    const file = await path(ownerOf({ pid }));
    const lock = await FileLock.tryAcquire(file, now());
    await lock?.release();
    // A removal lock for the next lock, also of a process that has ended.
    await writeFile(file, ownerOf({ pid }));
    await writeFile(await rightTo(file), ownerOf({ pid }));
    expect((await readdir(join(file, '..'))).length).toBe(2);
    expect(await FileLock.tryAcquire(file, now())).toBeDefined();
    expect(await readdir(join(file, '..'))).toEqual(['config.lock']);
  });

  it('is not removed on the basis of an earlier lock’s state', async () => {
    const file = await path('');
    const anHourAgo = new Date(now() - 3_600_000);
    await utimes(file, anHourAgo, anHourAgo);
    const first = await FileLock.tryAcquire(file, now());
    expect(first).toBeDefined();
    expect(await FileLock.tryAcquire(file, now())).toBeUndefined();
  });
});
