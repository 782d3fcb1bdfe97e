import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLmdbStore, openMemoryStore } from '../open-store.ts';
import type { Store } from '../store.ts';
import { WatchCache } from './watch-cache.ts';

const prefix = '/registry/pods/';

function open(store: Store): WatchCache<string> {
  return new WatchCache<string>({
    store,
    prefix,
    decode: ({ value }, note) => (typeof note === 'string' ? note : new TextDecoder().decode(value)),
    sizeOf: (value) => value.length,
  });
}

/** Writes without a precondition; undefined deletes the key. */
async function write(store: Store, name: string, text: string | undefined, note?: string): Promise<number> {
  const key = prefix + name;
  const expected = (await store.get(key)).entry?.modRevision ?? 0;
  const { ok, revision } =
    text === undefined
      ? await store.delete(key, { expected, note })
      : await store.put(key, new TextEncoder().encode(text), { expected, note });
  expect(ok).toBe(true);
  return revision;
}

/** Returns the state of a watch that starts at a revision from `state`, updated with every event. */
function follow(cache: WatchCache<string>, after: number, state = new Map<string, string>()): Map<string, string> {
  cache.watch(prefix, after, {
    onEvents: (events) => {
      for (const { type, key, entry, previous } of events) {
        expect(previous?.value).toBe(state.get(key));
        if (type === 'put') state.set(key, entry.value);
        else state.delete(key);
      }
    },
    onEnd: (error) => expect(error).toBeUndefined(),
  });
  return state;
}

function contents(cache: WatchCache<string>): Map<string, string> {
  return new Map(cache.list(prefix).entries.map(({ key, value }) => [key, value]));
}

describe.each(['memory', 'lmdb'])('over %s', (driver) => {
  let directory: string;
  let store: Store;
  let cache: WatchCache<string>;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'watch-cache-'));
    store = driver === 'memory' ? openMemoryStore() : await openLmdbStore({ path: join(directory, 'data') });
    cache = open(store);
    await cache.start();
  });

  afterEach(async () => {
    cache.stop();
    await store.close();
    await rm(directory, { recursive: true });
  });

  it('contains a write when its promise resolves, decoded with the writer’s note', async () => {
    const revision = await write(store, 'default/a', 'stored', 'noted');
    expect(cache.get(`${prefix}default/a`)).toMatchObject({ revision, value: 'noted' });
    expect(cache.revision).toBe(revision);
    await write(store, 'default/a', undefined);
    expect(cache.get(`${prefix}default/a`)).toBeUndefined();
  });

  it('is fresh after writes outside of the prefix', async () => {
    const { revision } = await store.put('/registry/services/x', new Uint8Array(), { expected: 0 });
    expect(cache.revision).toBeLessThan(revision);
    await expect(cache.fresh()).resolves.toBe(revision);
    await cache.waitFor(revision);
  });

  it('keeps watchers from any revision consistent with the store, under concurrent writes and compaction', async () => {
    const followers = [follow(cache, cache.revision)];
    for (let round = 0; round < 30; round++) {
      const names = Array.from({ length: 10 }, (_, index) => `${index % 3}/${(round * 7 + index * 3) % 17}`);
      await Promise.all(
        [...new Set(names)].map((name, index) => {
          const present = cache.get(prefix + name) !== undefined;
          return write(store, name, present && index % 3 === 0 ? undefined : `${round}-${index}`);
        }),
      );
      const revision = await cache.fresh();
      if (round % 10 === 5) await store.compact(revision - 20);
      if (round % 5 === 0) followers.push(follow(cache, revision, contents(cache)));
    }
    const stored = await store.list(prefix);
    expect([...contents(cache)]).toEqual(
      stored.entries.map(({ key, value }) => [key, new TextDecoder().decode(value)]),
    );
    for (const state of followers) expect(state).toEqual(contents(cache));
  });

  it('reads history at its start, so that watchers of an earlier cache resume', async () => {
    const before = cache.revision;
    const state = follow(cache, before);
    for (let round = 0; round < 20; round++) await write(store, `${round % 5}`, `${round}`);
    const middle = cache.revision;
    cache.stop();
    for (let round = 0; round < 20; round++) await write(store, `${round % 7}`, round % 4 === 0 ? 'x' : `${round}`);
    await write(store, '3', undefined);
    if (driver === 'lmdb') {
      await store.close();
      store = await openLmdbStore({ path: join(directory, 'data') });
    }
    cache = open(store);
    await cache.start();
    expect(follow(cache, middle, state)).toEqual(contents(cache));
    expect(follow(cache, before)).toEqual(contents(cache));
    expect(cache.count(prefix)).toBe(6);
  });

  it('ends when the store is closed', async () => {
    const waiting = expect(cache.waitFor(1_000_000)).rejects.toMatchObject({ name: 'StoreClosedError' });
    const ended = new Promise((resolve) => cache.watch(prefix, cache.revision, { onEvents: () => {}, onEnd: resolve }));
    await store.close();
    await expect(ended).resolves.toBeUndefined();
    await waiting;
  });
});
