import assert from 'node:assert/strict';
import { current, put, refused, shown, succeeded } from './expectations.ts';
import { bytes, type ContractCases, text } from './store-under-test.ts';

const key = '/contract/key';

export const writeCases: ContractCases = {
  'a put that expects 0 creates a key': async ({ store }) => {
    const revision = await put(store, key, 'a');
    assert.equal(await current(store, key), `"a"@${revision} created ${revision}`);
    assert.equal((await store.get(key)).entry?.key, key);
  },

  'every write that succeeds takes the next revision': async ({ store }) => {
    const before = await store.currentRevision();
    assert.ok(before >= 1);
    const revisions = [await put(store, key, 'a'), await put(store, '/contract/other', 'b')];
    revisions.push(await put(store, key, 'c', revisions[0]));
    revisions.push(succeeded(await store.delete(key, { expected: revisions[2] as number })));
    assert.deepEqual(revisions, [before + 1, before + 2, before + 3, before + 4]);
    assert.equal(await store.currentRevision(), before + 4);
  },

  'an update keeps createRevision': async ({ store }) => {
    const created = await put(store, key, 'a');
    const updated = await put(store, key, 'b', created);
    assert.equal(await current(store, key), `"b"@${updated} created ${created}`);
  },

  'a put with another revision fails, returns the current entry and changes nothing': async ({ store }) => {
    const first = await put(store, key, 'a');
    const second = await put(store, key, 'b', first);
    for (const expected of [0, first, second + 1]) {
      const result = await store.put(key, bytes('c'), { expected });
      assert.equal(shown(refused(result)), `"b"@${second} created ${first}`);
      assert.equal(result.revision, second);
    }
    assert.equal(await current(store, key), `"b"@${second} created ${first}`);
    assert.equal(await store.currentRevision(), second);
  },

  'a put of an absent key that expects a revision fails without current': async ({ store }) => {
    const revision = await put(store, '/contract/other', 'a');
    assert.equal(refused(await store.put(key, bytes('b'), { expected: revision })), undefined);
    assert.equal(await current(store, key), 'absent');
  },

  'a delete with the right revision removes the key': async ({ store }) => {
    const created = await put(store, key, 'a');
    const deleted = succeeded(await store.delete(key, { expected: created }));
    assert.equal(deleted, created + 1);
    assert.equal(await current(store, key), 'absent');
  },

  'a delete with another revision fails, returns the current entry and changes nothing': async ({ store }) => {
    const created = await put(store, key, 'a');
    for (const expected of [0, created + 1]) {
      assert.equal(shown(refused(await store.delete(key, { expected }))), `"a"@${created} created ${created}`);
    }
    assert.equal(await store.currentRevision(), created);
  },

  'a delete of an absent key fails without current, whatever the expected revision': async ({ store }) => {
    const created = await put(store, key, 'a');
    const deleted = succeeded(await store.delete(key, { expected: created }));
    for (const expected of [0, created, deleted]) {
      const result = await store.delete(key, { expected });
      assert.equal(refused(result), undefined);
      assert.equal(result.revision, deleted);
    }
  },

  'a key that is created again has a new createRevision': async ({ store }) => {
    const first = await put(store, key, 'a');
    const deleted = succeeded(await store.delete(key, { expected: first }));
    for (const expected of [first, deleted]) {
      assert.equal(refused(await store.put(key, bytes('b'), { expected })), undefined);
    }
    const second = await put(store, key, 'b');
    assert.equal(await current(store, key), `"b"@${second} created ${second}`);
    assert.equal(shown(refused(await store.delete(key, { expected: first }))), `"b"@${second} created ${second}`);
  },

  'values may be any bytes': async ({ store }) => {
    const values = {
      empty: new Uint8Array(),
      'every byte': Uint8Array.from({ length: 256 }, (_, index) => index),
      'a part of a larger buffer': new Uint8Array(new ArrayBuffer(64), 8, 3).fill(7),
      'a Buffer': Buffer.from('text'),
      'a megabyte': new Uint8Array(1_000_000).fill(0x61),
    };
    for (const [name, value] of Object.entries(values)) {
      succeeded(await store.put(`/contract/${name}`, value, { expected: 0 }));
      const entry = (await store.get(`/contract/${name}`)).entry;
      assert.ok(entry !== undefined && Buffer.compare(entry.value, value) === 0, name);
    }
  },

  'keys may be long and hold any text': async ({ store }) => {
    const keys = ['a b', 'a\tb', 'é', '日本語', '😀', '__proto__', 'constructor', '%2F', `${'x'.repeat(1000)}`];
    for (const name of keys) await put(store, `/contract/${name}`, name);
    for (const name of keys) assert.equal(text((await store.get(`/contract/${name}`)).entry!.value), name);
  },

  'of many concurrent creations of a key, one succeeds and the others return its entry': async ({ store }) => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.put(key, bytes(`by ${index}`), { expected: 0 })),
    );
    const winner = results.findIndex(({ ok }) => ok);
    const revision = succeeded(results[winner]!);
    for (const [index, result] of results.entries()) {
      if (index !== winner) assert.equal(shown(refused(result)), `"by ${winner}"@${revision} created ${revision}`);
    }
    assert.equal(await store.currentRevision(), revision);
  },

  'concurrent increments of a counter are not lost': async ({ store }) => {
    await put(store, key, '0');
    const count = async () => {
      for (let done = 0; done < 10; ) {
        const { entry } = await store.get(key);
        const next = String(Number(text(entry!.value)) + 1);
        if ((await store.put(key, bytes(next), { expected: entry!.modRevision })).ok) done++;
      }
    };
    await Promise.all(Array.from({ length: 8 }, count));
    assert.equal(text((await store.get(key)).entry!.value), '80');
  },

  'concurrent writes each get their own revision': async ({ store }) => {
    const before = await store.currentRevision();
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => store.put(`${key}/${index}`, bytes(`${index}`), { expected: 0 })),
    );
    const revisions = results.map(succeeded).sort((a, b) => a - b);
    assert.deepEqual(
      revisions,
      Array.from({ length: 200 }, (_, index) => before + 1 + index),
    );
    const { entries } = await store.list(`${key}/`);
    assert.deepEqual(
      entries.map((entry) => `${entry.key}=${text(entry.value)}`).sort(),
      Array.from({ length: 200 }, (_, index) => `${key}/${index}=${index}`).sort(),
    );
  },
};
