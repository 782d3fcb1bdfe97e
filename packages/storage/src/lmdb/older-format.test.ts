import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLmdbStore } from '../open-store.ts';

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'cox-older-'));
});
afterEach(() => rm(path, { recursive: true, force: true }));

/**
 * Makes a store in format version 1, without checksums: /a was put at revisions 2 and 4, /b at 3; the history before 3
 * is compacted.
 */
async function makeOlderStore(): Promise<void> {
  const environment = open({ path: join(path, 'store.mdb'), noSubdir: true, maxDbs: 3, overlappingSync: false });
  const records = environment.openDB<Buffer, number>({ name: 'records', encoding: 'binary' });
  const values = environment.openDB<Buffer, number>({ name: 'values', encoding: 'binary' });
  const marks = environment.openDB<number, string>({ name: 'marks', encoding: 'json' });
  const put = (revision: number, key: string, createRevision: number, previousRevision: number, value: string) => {
    const record = Buffer.alloc(25 + key.length);
    record[0] = 1;
    record.writeDoubleLE(createRevision, 1);
    record.writeDoubleLE(previousRevision, 9);
    record.write(key, 25);
    records.put(revision, record);
    values.put(revision, Buffer.from(value));
  };
  await environment.batch(() => {
    put(2, '/a', 2, 0, 'one');
    put(3, '/b', 3, 0, 'two');
    put(4, '/a', 2, 2, 'three');
    marks.put('compactedRevision', 3);
    marks.put('removedThrough', 3);
  });
  await environment.close();
  await writeFile(join(path, 'coxswain.json'), '{"format":"coxswain-store","version":1,"state":"ready"}');
}

const textOf = async (key: string, revision?: number): Promise<string> => {
  const store = await openLmdbStore({ path });
  const { entry } = await store.get(key, revision === undefined ? {} : { revision });
  await store.close();
  return Buffer.from(entry?.value ?? []).toString();
};

it('a store in the older format can be opened, written to and compacted, and then has the current version', async () => {
  await makeOlderStore();
  const store = await openLmdbStore({ path });
  expect([await store.currentRevision(), await store.compactedRevision()]).toEqual([4, 3]);
  expect(await store.put('/a', Buffer.from('four'), { expected: 4 })).toEqual({ ok: true, revision: 5 });
  await store.close();
  expect(JSON.parse(await readFile(join(path, 'coxswain.json'), 'utf8'))).toMatchObject({ version: 2 });
  expect([await textOf('/a', 3), await textOf('/a', 4), await textOf('/a'), await textOf('/b')]).toEqual([
    'one',
    'three',
    'four',
    'two',
  ]);
  const again = await openLmdbStore({ path });
  await again.compact(5);
  await again.close();
  expect([await textOf('/a'), await textOf('/b')]).toEqual(['four', 'two']);
});
