import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeStore, type StoreUnderTest } from '../contract/index.ts';
import { Recording } from '../contract/recording.ts';
import { StoreClosedError } from '../errors.ts';
import { openLmdbStore } from '../open-store.ts';

describeStore('lmdb', { describe, it }, { inProcess: true, durable: true }, async () => {
  const path = await mkdtemp(join(tmpdir(), 'cox-store-'));
  const clock = new FakeClock();
  const open = async (): Promise<StoreUnderTest> => {
    const store = await openLmdbStore({ path, clock });
    return {
      store,
      passTime: (seconds) => clock.advance(seconds * 1000),
      reopen: async () => {
        await store.close();
        return open();
      },
      dispose: async () => {
        await store.close();
        await rm(path, { recursive: true, force: true });
      },
    };
  };
  return open();
});

describe('the lmdb store', () => {
  let path: string;

  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'cox-store-'));
  });

  afterEach(async () => {
    await rm(path, { recursive: true, force: true });
  });

  it('grows beyond its initial memory map', async () => {
    const mapSize = 1024 * 1024;
    const store = await openLmdbStore({ path, mapSize });
    const keys = Array.from({ length: 300 }, (_, index) => `/k/${index}`);
    await Promise.all(keys.map((key) => store.put(key, Buffer.alloc(40_000, key), { expected: 0 })));
    expect((await stat(join(path, 'store.mdb'))).size).toBeGreaterThan(10 * mapSize);
    await store.close();
    const again = await openLmdbStore({ path, mapSize });
    for (const { key, value } of (await again.list('/k/')).entries) {
      expect(Buffer.compare(value, Buffer.alloc(40_000, key))).toBe(0);
    }
    expect(await again.count('/k/')).toBe(300);
    await again.close();
  });

  it('reuses the space that compaction frees', async () => {
    const store = await openLmdbStore({ path });
    let expected = 0;
    for (let round = 0; round < 300; round++) {
      expected = (await store.put('/a', Buffer.alloc(100_000), { expected })).revision;
      await store.compact(expected);
    }
    expect((await stat(join(path, 'store.mdb'))).size).toBeLessThan(5_000_000);
    await store.close();
  });

  it('deletes keys at its start that expired while it was closed, with watch events', async () => {
    const clock = new FakeClock();
    const store = await openLmdbStore({ path, clock });
    const { revision } = await store.put('/a', Buffer.from('x'), { expected: 0, ttlSeconds: 10 });
    await store.put('/b', Buffer.from('y'), { expected: 0 });
    await store.close();
    expect(clock.pending).toBe(0);
    await clock.advance(3_600_000);
    const again = await openLmdbStore({ path, clock });
    await clock.advance(0);
    const recording = Recording.start(again, '/a', revision + 1);
    expect(await recording.lines(1)).toEqual([`delete /a@${revision + 2}, was "x"@${revision}`]);
    expect((await again.list('')).entries.map(({ key }) => key)).toEqual(['/b']);
    await again.close();
  });

  it('may be closed during lists and watches', async () => {
    const store = await openLmdbStore({ path });
    const keys = Array.from({ length: 5000 }, (_, index) => `/k/${index}`);
    await Promise.all(keys.map((key) => store.put(key, Buffer.from('x'), { expected: 0 })));
    const list = store.list('/k/');
    const recording = Recording.start(store, '/k/', 1);
    const compaction = store.compact(3000);
    await Promise.all([
      expect(list).rejects.toBeInstanceOf(StoreClosedError),
      Promise.allSettled([compaction]),
      store.close(),
    ]);
    expect(recording.ends).toEqual([{ error: undefined }]);
    expect(recording.events.length).toBeLessThan(5000);
  });
});
