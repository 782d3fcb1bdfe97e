import assert from 'node:assert/strict';
import { CompactedError, FutureRevisionError } from '../errors.ts';
import type { Store } from '../store.ts';
import { current, keysOf, put, putAll, shown, succeeded } from './expectations.ts';
import { Recording } from './recording.ts';
import type { ContractCases } from './store-under-test.ts';

/** Asserts that reads at the revision fail with a CompactedError. */
async function unreadable(store: Store, revision: number): Promise<void> {
  const compactedRevision = await store.compactedRevision();
  for (const read of [
    store.get('/contract/a', { revision }),
    store.list('/contract/', { revision }),
    store.list('/contract/', { revision, limit: 1, from: '/contract/b' }),
  ]) {
    await assert.rejects(read, (error) => {
      assert.ok(error instanceof CompactedError, `failed with ${error}`);
      assert.deepEqual([error.revision, error.compactedRevision], [revision, compactedRevision]);
      return true;
    });
  }
}

export const compactionCases: ContractCases = {
  'the history before the revision is gone, the state at it and later is not': async ({ store }) => {
    const a1 = await put(store, '/contract/a', '1');
    const b = await put(store, '/contract/b', '2');
    const a2 = await put(store, '/contract/a', '3', a1);
    const gone = succeeded(await store.delete('/contract/b', { expected: b }));
    const a3 = await put(store, '/contract/a', '4', a2);
    await store.compact(a2);
    assert.equal(await store.compactedRevision(), a2);
    await unreadable(store, a1);
    await unreadable(store, b);
    assert.equal(shown((await store.get('/contract/a', { revision: a2 })).entry), `"3"@${a2} created ${a1}`);
    assert.equal(shown((await store.get('/contract/b', { revision: a2 })).entry), `"2"@${b} created ${b}`);
    assert.deepEqual(await keysOf(store, '/contract/', a2), ['/contract/a', '/contract/b']);
    assert.deepEqual(await keysOf(store, '/contract/', gone), ['/contract/a']);
    assert.equal(await current(store, '/contract/a'), `"4"@${a3} created ${a1}`);
  },

  'the current state stays, however old it is': async ({ store }) => {
    const old = await put(store, '/contract/a', 'old');
    const gone = await put(store, '/contract/b', 'gone');
    const last = succeeded(await store.delete('/contract/b', { expected: gone }));
    await store.compact(last);
    assert.equal(await current(store, '/contract/a'), `"old"@${old} created ${old}`);
    assert.equal(await current(store, '/contract/b'), 'absent');
    assert.deepEqual(await keysOf(store, '/contract/'), ['/contract/a']);
    assert.deepEqual(await keysOf(store, '/contract/', last), ['/contract/a']);
    assert.equal(await store.count('/contract/'), 1);
    const again = await put(store, '/contract/b', 'again');
    assert.equal(await current(store, '/contract/b'), `"again"@${again} created ${again}`);
    assert.equal(again, last + 1);
  },

  'compacting at a compacted revision does nothing': async ({ store }) => {
    const first = await put(store, '/contract/a', '1');
    const second = await put(store, '/contract/a', '2', first);
    await put(store, '/contract/a', '3', second);
    await store.compact(second);
    await store.compact(second);
    await store.compact(first);
    assert.equal(await store.compactedRevision(), second);
    assert.equal(shown((await store.get('/contract/a', { revision: second })).entry), `"2"@${second} created ${first}`);
  },

  'compacting again removes the rest': async ({ store }) => {
    let revision = await put(store, '/contract/a', '0');
    const created = revision;
    for (let round = 1; round <= 5; round++) {
      revision = await put(store, '/contract/a', `${round}`, revision);
      await store.compact(revision);
      await unreadable(store, revision - 1);
      assert.equal(await current(store, '/contract/a'), `"${round}"@${revision} created ${created}`);
    }
  },

  'a revision in the future cannot be compacted': async ({ store }) => {
    const revision = await put(store, '/contract/a', '1');
    await assert.rejects(
      store.compact(revision + 1),
      (error) => error instanceof FutureRevisionError && error.revision === revision + 1,
    );
    assert.equal(shown((await store.get('/contract/a', { revision })).entry), `"1"@${revision} created ${revision}`);
  },

  'compactedRevision can be read and watched from': async ({ store }) => {
    const first = await put(store, '/contract/a', '1');
    const second = await put(store, '/contract/a', '2', first);
    const third = succeeded(await store.delete('/contract/a', { expected: second }));
    await store.compact(second);
    const oldest = await store.compactedRevision();
    assert.deepEqual(await keysOf(store, '/contract/', oldest), ['/contract/a']);
    const recording = Recording.start(store, '/contract/', oldest);
    assert.deepEqual(await recording.lines(1), [`delete /contract/a@${third}, was "2"@${second}`]);
  },

  'compaction during writes loses nothing': async ({ store }) => {
    const before = await store.currentRevision();
    const recording = Recording.start(store, '/contract/', before);
    const writer = async (name: string) => {
      let revision = 0;
      for (let round = 0; round < 30; round++) {
        revision = await put(store, `/contract/${name}`, `${round}`, revision);
        if (round % 10 === 5) await store.compact(revision - 1);
      }
      return revision;
    };
    const names = ['a', 'b', 'c', 'd'];
    const revisions = await Promise.all(names.map(writer));
    const { entries } = await store.list('/contract/');
    assert.deepEqual(
      entries.map(({ key, modRevision }) => [key, modRevision]),
      names.map((name, index) => [`/contract/${name}`, revisions[index]]),
    );
    await recording.caughtUp(store);
    assert.deepEqual(
      recording.events.map(({ revision }) => revision),
      Array.from({ length: 120 }, (_, index) => before + 1 + index),
    );
  },

  'pages of a compacted revision fail': async ({ store }) => {
    const revision = await putAll(store, ['/contract/a', '/contract/b', '/contract/c']);
    const page = await store.list('/contract/', { limit: 1, revision });
    assert.equal(page.remaining, 2);
    await store.compact(await put(store, '/contract/d', 'd'));
    await unreadable(store, revision);
  },
};
