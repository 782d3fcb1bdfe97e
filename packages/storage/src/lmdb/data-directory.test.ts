import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLmdbStore } from '../open-store.ts';
import type { Store } from '../store.ts';
import { DataDirectoryError } from './data-directory-error.ts';

let scratch: string;
let path: string;

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'cox-dir-'));
  path = join(scratch, 'data');
});

afterEach(async () => {
  await rm(scratch, { recursive: true, force: true });
});

/** Makes a store with some keys and closes it. */
async function makeStore(): Promise<void> {
  const store = await openLmdbStore({ path });
  for (let index = 0; index < 200; index++) await put(store, `/k/${index}`);
  await store.close();
}

const put = (store: Store, key: string) => store.put(key, Buffer.alloc(1000, 'x'), { expected: 0 });

/** Returns all files with their contents, except those of the lock. */
async function contents(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(directory)) {
    if (name !== 'lock') found[name] = await readFile(join(directory, name), 'base64');
  }
  return found;
}

async function refusal(): Promise<string> {
  const before = await contents(path);
  const error = await openLmdbStore({ path }).then(
    () => 'opened',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DataDirectoryError);
  expect(await contents(path)).toEqual(before);
  return (error as DataDirectoryError).message.replace(path, 'PATH');
}

describe('a data directory', () => {
  it('is created for its owner alone', async () => {
    path = join(scratch, 'deep', 'data');
    const store = await openLmdbStore({ path });
    await put(store, '/a');
    const mode = async (name: string) => ((await stat(join(path, name))).mode & 0o777).toString(8);
    expect([await mode('.'), await mode('store.mdb'), await mode('coxswain.json')]).toEqual(['700', '600', '600']);
    await store.close();
    expect(JSON.parse(await readFile(join(path, 'coxswain.json'), 'utf8'))).toEqual({
      format: 'coxswain-store',
      version: 2,
      state: 'ready',
    });
  });

  it('may exist already when it is empty', async () => {
    await mkdir(path);
    const store = await openLmdbStore({ path });
    expect(await put(store, '/a')).toMatchObject({ ok: true });
    await store.close();
  });

  it.each<[string, () => Promise<void>, string | RegExp]>([
    [
      'holds something else',
      async () => {
        await mkdir(path);
        await writeFile(join(path, 'letter.txt'), 'dear');
      },
      'data directory PATH is not a store: it has no coxswain.json, but other files',
    ],
    [
      'has lost its coxswain.json',
      async () => {
        await makeStore();
        await rm(join(path, 'coxswain.json'));
      },
      'data directory PATH is not a store: it has no coxswain.json, but other files',
    ],
    [
      'has a coxswain.json of another format',
      async () => {
        await mkdir(path);
        await writeFile(join(path, 'coxswain.json'), '{"format":"sea chest"}');
      },
      'data directory PATH is not a store: coxswain.json does not describe a store',
    ],
    [
      'has half of its coxswain.json',
      async () => {
        await makeStore();
        await truncate(join(path, 'coxswain.json'), 10);
      },
      'data directory PATH is not a store: coxswain.json does not describe a store',
    ],
    [
      'is of a later version',
      async () => {
        await makeStore();
        await writeFile(join(path, 'coxswain.json'), '{"format":"coxswain-store","version":3,"state":"ready"}');
      },
      'data directory PATH has format 3, and this version knows 1 and 2',
    ],
    [
      'has lost its data',
      async () => {
        await makeStore();
        await rm(join(path, 'store.mdb'));
      },
      'data directory PATH is incomplete: store.mdb cannot be read',
    ],
    [
      'has empty data',
      async () => {
        await makeStore();
        await truncate(join(path, 'store.mdb'), 0);
      },
      'data directory PATH is damaged: store.mdb is empty',
    ],
    [
      'has half of its data',
      async () => {
        await makeStore();
        await truncate(join(path, 'store.mdb'), (await stat(join(path, 'store.mdb'))).size / 2);
      },
      /^data directory PATH is damaged: store\.mdb is cut off: it has \d+ pages of \d+$/,
    ],
    [
      'has only the beginning of its data',
      async () => {
        await makeStore();
        await truncate(join(path, 'store.mdb'), 1000);
      },
      'data directory PATH is damaged: store.mdb is damaged at its beginning',
    ],
    [
      'has data of another kind',
      async () => {
        await makeStore();
        await writeFile(join(path, 'store.mdb'), Buffer.alloc(100_000, 'z'));
      },
      'data directory PATH is damaged: store.mdb is not a file of LMDB, or is damaged',
    ],
  ])('that %s is refused and left alone', async (_, prepare, message) => {
    await prepare();
    expect(await refusal()).toMatch(message);
  });

  it('whose creation was interrupted is created again', async () => {
    await mkdir(path);
    await writeFile(join(path, 'coxswain.json'), '{"format":"coxswain-store","version":1,"state":"creating"}');
    await writeFile(join(path, 'store.mdb'), 'half');
    const store = await openLmdbStore({ path });
    expect(await store.currentRevision()).toBe(1);
    await store.close();
  });

  it('that is a file is refused', async () => {
    await writeFile(path, 'a file');
    await expect(openLmdbStore({ path })).rejects.toThrow();
    expect(await readFile(path, 'utf8')).toBe('a file');
  });

  // Root can write here regardless of the mode.
  it.skipIf(process.getuid?.() === 0)('that cannot be written to is refused', async () => {
    await makeStore();
    await chmod(join(path, 'lock'), 0o500);
    await expect(openLmdbStore({ path })).rejects.toThrow('EACCES');
    await chmod(join(path, 'lock'), 0o700);
  });
});

describe('the lock of a data directory', () => {
  const names = { short: 'data', 'longer than the address of a socket allows': 'x'.repeat(200) };

  it.each(Object.entries(names))('keeps a second store of this process out: %s', async (_, name) => {
    path = join(scratch, name);
    const store = await openLmdbStore({ path });
    await expect(openLmdbStore({ path })).rejects.toThrow(`data directory ${path} is in use by this process`);
    expect(await put(store, '/a')).toMatchObject({ ok: true });
    await store.close();
    const next = await openLmdbStore({ path });
    expect(await next.count('/a')).toBe(1);
    await next.close();
  });

  it('goes to one of several concurrent openers, and leaves few files behind', async () => {
    for (let round = 0; round < 10; round++) {
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => openLmdbStore({ path })));
      const opened = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(opened.length).toBe(1);
      for (const each of outcomes)
        if (each.status === 'rejected') expect(String(each.reason)).toContain('is in use by');
      await put(opened[0] as Store, `/${round}`);
      await opened[0]?.close();
    }
    expect((await readdir(join(path, 'lock'))).length).toBeLessThanOrEqual(2);
  });
});
