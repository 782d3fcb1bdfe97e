import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { recordLogs } from '@coxswain/apimachinery/log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreFullError } from '../errors.ts';
import { openLmdbStore } from '../open-store.ts';
import type { Store } from '../store.ts';

const diskBytes = 24 * 1024 * 1024;
/** The number of concurrent writes. */
const together = 10;
const canMount = mountWorks();
if (!canMount) console.warn('NOT TESTED: stores on full disks. The test mounts small disks, which only root may do.');

let disk: string;
let path: string;
let clock: FakeClock;
const { logger, lines: told, clear } = recordLogs();

beforeEach(() => {
  if (!canMount) return;
  disk = mountDisk();
  path = join(disk, 'data');
  clock = new FakeClock();
  clear();
});

afterEach(() => {
  if (canMount) unmountDisk(disk);
});

function mountWorks(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    unmountDisk(mountDisk());
    return true;
  } catch {
    return false;
  }
}

function mountDisk(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cox-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'cox-disk', directory], { stdio: 'ignore' });
  } catch (error) {
    rmSync(directory, { recursive: true });
    throw error;
  }
  return directory;
}

function unmountDisk(directory: string): void {
  execFileSync('umount', [directory]);
  rmSync(directory, { recursive: true });
}

const open = (): Promise<Store> => openLmdbStore({ path, clock, logger });

const bytesOf = (key: string, bytes: number): Buffer => Buffer.alloc(bytes, key);

/** Puts keys until all are refused. Returns the revisions of the acknowledged ones. */
async function fill(store: Store, bytes: number, prefix = '/k/'): Promise<Map<string, number>> {
  const stored = new Map<string, number>();
  for (let index = 0; ; index += together) {
    const keys = Array.from({ length: together }, (_, offset) => `${prefix}${index + offset}`);
    const writes = keys.map(async (key) => {
      const { revision } = await store.put(key, bytesOf(key, bytes), { expected: 0 });
      stored.set(key, revision);
    });
    const reasons = (await Promise.allSettled(writes)).flatMap((each) => ('reason' in each ? [each.reason] : []));
    for (const reason of reasons) expect(reason).toBeInstanceOf(StoreFullError);
    if (reasons.length === together) return stored;
  }
}

async function holds(store: Store, stored: ReadonlyMap<string, number>, bytes: number): Promise<void> {
  const { entries } = await store.list('/k/');
  expect(new Map(entries.map(({ key, modRevision }) => [key, modRevision]))).toEqual(new Map(stored));
  for (const { key, value } of entries) expect(bytesOf(key, bytes).equals(value)).toBe(true);
}

describe.runIf(canMount)('a store on a disk that it fills', { timeout: 60_000 }, () => {
  it.each([
    ['small', 1500],
    ['large', 300_000],
  ])('refuses new keys, accepts deletions, and then has room for new keys again: %s objects', async (_, bytes) => {
    const store = await open();
    const stored = await fill(store, bytes);
    // A large part of the disk could be used.
    expect(stored.size * bytes).toBeGreaterThan(diskBytes / 4);
    await expect(store.checkWritable()).rejects.toThrow(
      'the store is full: its disk has no room for new objects; delete some, or make room on the disk',
    );
    expect(told).toEqual([expect.stringMatching(/^warning "Disk is full: new objects are refused .*store\.mdb"$/)]);
    await holds(store, stored, bytes);

    const deletions = [...stored].slice(0, Math.ceil(stored.size * 0.7)).map(async ([key, expected]) => {
      expect(await store.delete(key, { expected })).toMatchObject({ ok: true });
      stored.delete(key);
    });
    await Promise.all(deletions);
    await clock.advance(5000);
    await store.compact(await store.currentRevision());
    await store.checkWritable();
    expect(told.slice(1)).toEqual([expect.stringMatching(/^info "There is room for new objects again"/)]);
    await holds(store, stored, bytes);
    for (const key of ['/k/new', '/k/newer']) {
      stored.set(key, (await store.put(key, bytesOf(key, bytes), { expected: 0 })).revision);
    }
    await store.close();
    const again = await open();
    await holds(again, stored, bytes);
    await again.close();
  });

  it('accepts changes of existing keys when it refuses new ones, and compacts their history at once', async () => {
    const store = await open();
    const stored = await fill(store, 1500);
    let expected = stored.get('/k/0')!;
    for (let round = 0; round < 800; round++) {
      expected = (await store.put('/k/0', bytesOf('/k/0', 1500), { expected })).revision;
    }
    stored.set('/k/0', expected);
    await holds(store, stored, 1500);
    expect(await store.compactedRevision()).toBeGreaterThan(expected - 800);
    await store.close();
  });

  it('can be filled, emptied and filled again', async () => {
    const store = await open();
    const sizes: number[] = [];
    for (let round = 0; round < 4; round++) {
      const stored = await fill(store, 20_000, `/k/${round}/`);
      sizes.push(stored.size);
      await Promise.all([...stored].map(([key, expected]) => store.delete(key, { expected })));
      await store.compact(await store.currentRevision());
      await clock.advance(5000);
    }
    expect(Math.min(...sizes)).toBeGreaterThan(sizes[0]! * 0.7);
    await store.close();
  });
});

describe.runIf(canMount)('a store on a disk that another program fills', { timeout: 60_000 }, () => {
  /** Fills the disk to the last byte. */
  function fillDisk(): void {
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'other'), Buffer.alloc(bavail * bsize));
  }

  it('accepts deletions, and all writes when there is room again', async () => {
    const store = await open();
    const stored = new Map<string, number>();
    for (let index = 0; index < 100; index++) {
      const key = `/k/${index}`;
      stored.set(key, (await store.put(key, bytesOf(key, 1500), { expected: 0 })).revision);
    }
    fillDisk();
    const first = await store.put('/k/big', Buffer.alloc(1_000_000), { expected: 0 }).catch((error: unknown) => error);
    expect(first).toBeInstanceOf(StoreFullError);
    await expect(store.checkWritable()).rejects.toBeInstanceOf(StoreFullError);
    for (const [key, expected] of [...stored].slice(0, 90)) {
      expect(await store.delete(key, { expected })).toMatchObject({ ok: true });
      stored.delete(key);
    }
    await store.compact(await store.currentRevision());
    rmSync(join(disk, 'other'));
    await clock.advance(5000);
    await store.checkWritable();
    expect(await store.put('/k/big', bytesOf('/k/big', 1500), { expected: 0 })).toMatchObject({ ok: true });
    await store.close();
  });

  it('is neither opened nor created on a full disk, with an error that has the reason, and is unchanged when there is room again', async () => {
    const store = await open();
    const { revision } = await store.put('/k/a', bytesOf('/k/a', 100), { expected: 0 });
    await store.close();
    fillDisk();
    await expect(open()).rejects.toThrow('ENOSPC');
    await expect(openLmdbStore({ path: join(disk, 'another') })).rejects.toThrow('ENOSPC');
    rmSync(join(disk, 'other'));
    const again = await open();
    await holds(again, new Map([['/k/a', revision]]), 100);
    await again.close();
  });
});
