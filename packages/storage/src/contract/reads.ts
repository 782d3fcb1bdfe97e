import assert from 'node:assert/strict';
import { FutureRevisionError } from '../errors.ts';
import { keysOf, put, putAll, shown, succeeded } from './expectations.ts';
import { bytes, type ContractCases, text } from './store-under-test.ts';

const key = '/contract/key';

/** In the order of UTF-8 bytes, which differs from JavaScript's string order for the last two. */
const ordered = ['', '!', '-', '-b', '.b', '/', '/a', '/b', '0', 'A', 'a', 'é', '日', '\uffff', '😀'].map(
  (name) => `/contract/x${name}`,
);

export const readCases: ContractCases = {
  'a get of an absent key returns the revision without an entry': async ({ store }) => {
    const revision = await store.currentRevision();
    assert.deepEqual({ ...(await store.get(key)) }.entry, undefined);
    assert.equal((await store.get(key)).revision, revision);
  },

  'a read sees every write that was acknowledged before it': async ({ store }) => {
    for (let round = 1; round <= 20; round++) {
      const name = `${key}/${round}`;
      const revision = await put(store, name, 'x');
      const [get, list, count, newest] = await Promise.all([
        store.get(name),
        store.list(`${key}/`),
        store.count(`${key}/`),
        store.currentRevision(),
      ]);
      assert.deepEqual(
        [get.entry?.modRevision, get.revision, list.entries.length, list.revision, count, newest],
        [revision, revision, round, revision, round, revision],
      );
    }
  },

  'a get at a revision returns the entry at that revision': async ({ store }) => {
    const before = await store.currentRevision();
    const created = await put(store, key, 'a');
    const updated = await put(store, key, 'b', created);
    const deleted = succeeded(await store.delete(key, { expected: updated }));
    const again = await put(store, key, 'c');
    const last = await put(store, '/contract/other', 'd');
    const seen = [];
    for (const revision of [before, created, updated, deleted, again, last]) {
      const result = await store.get(key, { revision });
      seen.push(shown(result.entry));
      assert.equal(result.revision, last);
    }
    assert.deepEqual(seen, [
      'absent',
      `"a"@${created} created ${created}`,
      `"b"@${updated} created ${created}`,
      'absent',
      `"c"@${again} created ${again}`,
      `"c"@${again} created ${again}`,
    ]);
  },

  'reads at a revision in the future fail': async ({ store }) => {
    const revision = await put(store, key, 'a');
    for (const read of [
      store.get(key, { revision: revision + 1 }),
      store.list('/contract/', { revision: revision + 1 }),
    ]) {
      await assert.rejects(read, (error) => error instanceof FutureRevisionError && error.revision === revision + 1);
    }
  },

  'a list is in the order of UTF-8 bytes': async ({ store }) => {
    await putAll(store, [...ordered].reverse());
    assert.deepEqual(await keysOf(store, '/contract/'), ordered);
    assert.deepEqual(
      (await store.list('/contract/')).entries.map(({ value }) => text(value)),
      ordered,
    );
  },

  'a prefix is compared as text, not as a path': async ({ store }) => {
    const pods = ['/contract/pods/a', '/contract/pods/b'];
    const metrics = ['/contract/pods.metrics/a'];
    await putAll(store, ['/contract/pod', '/contract/pods', ...pods, ...metrics, '/contract/podtemplates/a']);
    assert.deepEqual(await keysOf(store, '/contract/pods/'), pods);
    assert.deepEqual(await keysOf(store, '/contract/pods'), ['/contract/pods', ...metrics, ...pods]);
    assert.deepEqual(await keysOf(store, '/contract/pods/a'), ['/contract/pods/a']);
    assert.deepEqual(await keysOf(store, '/contract/pods/a/'), []);
    const counts = await Promise.all(
      ['/contract/pods/', '/contract/pod', '/contract/z'].map((each) => store.count(each)),
    );
    assert.deepEqual(counts, [2, 6, 0]);
  },

  'a list from a key leaves out the keys before it': async ({ store }) => {
    const keys = ['a', 'b', 'c', 'd'].map((name) => `/contract/list/${name}`);
    await putAll(store, ['/contract/list', ...keys, '/contract/lisu']);
    const from = async (start: string) =>
      (await store.list('/contract/list/', { from: start })).entries.map((e) => e.key);
    assert.deepEqual(await from('/contract/list/b'), keys.slice(1));
    assert.deepEqual(await from('/contract/list/b\u0001'), keys.slice(2));
    assert.deepEqual(await from('/a'), keys);
    assert.deepEqual(await from('/contract/list/e'), []);
    assert.deepEqual(await from('/z'), []);
  },

  'a limited list returns the number of remaining keys': async ({ store }) => {
    await putAll(
      store,
      ['a', 'b', 'c', 'd', 'e'].map((name) => `/contract/list/${name}`),
    );
    await put(store, '/contract/lisu', 'not in it');
    const pages = [];
    for (const [limit, start] of [
      [2, 'a'],
      [2, 'c'],
      [2, 'e'],
      [5, 'a'],
      [9, 'a'],
      [1, 'f'],
    ] as const) {
      const page = await store.list('/contract/list/', { limit, from: `/contract/list/${start}` });
      pages.push(`${page.entries.map(({ value }) => text(value).at(-1)).join('')}+${page.remaining}`);
    }
    assert.deepEqual(pages, ['ab+3', 'cd+1', 'e+0', 'abcde+0', 'abcde+0', '+0']);
    assert.equal((await store.list('/contract/list/')).remaining, 0);
  },

  'pages at one revision are consistent, whatever is written in between': async ({ store }) => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `/contract/list/${name}`);
    const revision = await putAll(store, keys);
    const pages: string[] = [];
    let from = '/contract/list/';
    let remaining = Number.POSITIVE_INFINITY;
    while (remaining > 0) {
      const page = await store.list('/contract/list/', { limit: 2, from, revision });
      pages.push(
        `${page.entries.map((each) => `${each.key.at(-1)}${text(each.value).at(-1)}`).join(' ')}+${page.remaining}`,
      );
      remaining = page.remaining;
      from = `${page.entries.at(-1)!.key}\u0001`;
      // One key is created, one changed and one deleted, all of them on later pages.
      await store.put(`/contract/list/e${pages.length}`, bytes('new'), { expected: 0 });
      const [e, f] = await Promise.all([store.get('/contract/list/e'), store.get('/contract/list/f')]);
      await store.put('/contract/list/e', bytes('changed'), { expected: e.entry!.modRevision });
      if (f.entry !== undefined) await store.delete('/contract/list/f', { expected: f.entry.modRevision });
    }
    assert.deepEqual(pages, ['aa bb+4', 'cc dd+2', 'ee ff+0']);
    const page = await store.list('/contract/list/', { revision });
    assert.ok(page.revision > revision);
    assert.equal(await store.count('/contract/list/'), 8);
  },

  'a list at a revision returns the state at that revision': async ({ store }) => {
    const before = await store.currentRevision();
    const a = await put(store, '/contract/a', '1');
    const b = await put(store, '/contract/b', '2');
    const updated = await put(store, '/contract/a', '3', a);
    const deleted = succeeded(await store.delete('/contract/b', { expected: b }));
    const seen = [];
    for (const revision of [before, a, b, updated, deleted]) {
      const { entries } = await store.list('/contract/', { revision });
      seen.push(entries.map((entry) => `${entry.key.at(-1)} ${shown(entry)}`));
    }
    assert.deepEqual(seen, [
      [],
      [`a "1"@${a} created ${a}`],
      [`a "1"@${a} created ${a}`, `b "2"@${b} created ${b}`],
      [`a "3"@${updated} created ${a}`, `b "2"@${b} created ${b}`],
      [`a "3"@${updated} created ${a}`],
    ]);
  },

  'a count is that of the current keys': async ({ store }) => {
    const revision = await putAll(store, ['/contract/a', '/contract/b', '/contract/c']);
    assert.equal(await store.count('/contract/'), 3);
    await store.delete('/contract/c', { expected: revision });
    assert.equal(await store.count('/contract/'), 2);
    await put(store, '/contract/c', 'again');
    assert.equal(await store.count('/contract/'), 3);
  },
};
