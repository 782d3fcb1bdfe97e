import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLmdbStore } from '../open-store.ts';
import type { Store } from '../store.ts';
import { checkedValue, seededRandom, sumOfValue } from './crash-values.test-data.ts';
import { damages } from './damage.test-data.ts';
import { DataDirectoryError } from './data-directory-error.ts';

const trials = 25;

let path: string;
let file: string;
/** The file of a closed store, and its contents. */
let sound: Buffer;
let truth: string;

beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'cox-damage-'));
  file = join(path, 'store.mdb');
  const store = await openLmdbStore({ path });
  await fill(store);
  truth = await contentsOf(store);
  await store.close();
  sound = await readFile(file);
});

afterAll(async () => {
  await rm(path, { recursive: true, force: true });
});

/** Changes and deletes keys, and compacts a part of the history. */
async function fill(store: Store): Promise<void> {
  const random = seededRandom(7);
  const revisions = new Map<string, number>();
  for (let round = 0; round < 5; round++) {
    const writes = Array.from({ length: 80 }, async (_, index) => {
      const key = `/k/${index}`;
      const expected = revisions.get(key) ?? 0;
      const isDeletion = expected !== 0 && random() < 0.2;
      const { revision } = isDeletion
        ? await store.delete(key, { expected })
        : await store.put(key, checkedValue(random), { expected });
      revisions.set(key, isDeletion ? 0 : revision);
    });
    await Promise.all(writes);
    if (round === 3) await store.compact((await store.currentRevision()) - 20);
  }
}

/** Returns everything that can be read from the store, at the current and at older revisions. */
async function contentsOf(store: Store): Promise<string> {
  const newest = await store.currentRevision();
  const oldest = await store.compactedRevision();
  const lists = await Promise.all([newest, oldest, oldest + 10].map((revision) => store.list('', { revision })));
  const lines = lists.flatMap(({ entries }) =>
    entries.map(({ key, value, createRevision, modRevision }) =>
      [key, createRevision, modRevision, sumOfValue(value) ?? 'broken'].join(' '),
    ),
  );
  return [newest, oldest, ...lines].join('\n');
}

/** Writes until pages that were free are used again. */
async function exercise(store: Store): Promise<void> {
  const { revision } = await store.put('/new', Buffer.alloc(20_000), { expected: 0 });
  await store.compact(revision);
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => store.put(`/new/${index}`, Buffer.alloc(3000), { expected: 0 })),
  );
}

describe('a store that was damaged while it was closed', () => {
  it.each(Object.entries(damages))(
    'is refused, or returns only correct data: %s',
    { timeout: 60_000 },
    async (name, damage) => {
      const random = seededRandom(name.length);
      for (let trial = 0; trial < trials; trial++) {
        await writeFile(file, damage(Buffer.from(sound), random));
        const opened = await openLmdbStore({ path }).catch((error: unknown) => error);
        if (opened instanceof Error) {
          expect(opened).toBeInstanceOf(DataDirectoryError);
          expect(opened.message).toMatch(/ is damaged: /);
          continue;
        }
        const store = opened as Store;
        expect(await contentsOf(store)).toBe(truth);
        await exercise(store);
        await store.close();
      }
    },
  );

  it('is refused when a value is damaged', async () => {
    await writeFile(file, sound);
    const store = await openLmdbStore({ path });
    const entry = (await store.list('', { limit: 1 })).entries[0]!;
    await store.close();
    const damaged = Buffer.from(sound);
    // Pages that are free now may contain the value, too.
    for (let at = damaged.indexOf(entry.value); at !== -1; at = damaged.indexOf(entry.value)) damaged[at + 30]! ^= 1;
    await writeFile(file, damaged);
    await expect(openLmdbStore({ path })).rejects.toThrow(
      `data directory ${path} is damaged: the value of revision ${entry.modRevision} is damaged`,
    );
  });

  it('reports a value that was damaged after the store was opened when it is read', async () => {
    await writeFile(file, sound);
    const store = await openLmdbStore({ path });
    const { key, value, modRevision } = (await store.list('', { limit: 1 })).entries[0]!;
    const damaged = Buffer.from(sound);
    for (let at = damaged.indexOf(value); at !== -1; at = damaged.indexOf(value)) damaged[at + 30]! ^= 1;
    await writeFile(file, damaged, { flag: 'r+' });
    await expect(store.get(key)).rejects.toThrow(`the value of revision ${modRevision} is damaged`);
    await store.close();
  });

  it('ignores damage of LMDB’s lock file', async () => {
    await writeFile(file, sound);
    await writeFile(`${file}-lock`, Buffer.alloc(100_000, 0xab));
    const store = await openLmdbStore({ path });
    expect(await contentsOf(store)).toBe(truth);
    await store.close();
  });
});
