import assert from 'node:assert/strict';
import { CompactedError } from '../errors.ts';
import { current, keysOf, put, shown, succeeded } from './expectations.ts';
import { line, Recording } from './recording.ts';
import { bytes, type ContractCases, type StoreUnderTest } from './store-under-test.ts';
import { aKeyExpires } from './ttl.ts';

/** Closes the store and opens it again. */
async function reopened(opened: StoreUnderTest): Promise<StoreUnderTest> {
  assert.ok(opened.reopen !== undefined, 'a durable driver must be able to reopen');
  return opened.reopen();
}

export const restartCases: ContractCases = {
  'keys, values and revisions are restored': async (opened) => {
    const { store } = opened;
    const a = await put(store, '/contract/a', '1');
    const b = await put(store, '/contract/b', '2');
    const updated = await put(store, '/contract/a', '3', a);
    const gone = succeeded(await store.delete('/contract/b', { expected: b }));
    const next = await reopened(opened);
    try {
      assert.equal(await next.store.currentRevision(), gone);
      assert.equal(await current(next.store, '/contract/a'), `"3"@${updated} created ${a}`);
      assert.deepEqual(await keysOf(next.store, '/contract/'), ['/contract/a']);
      assert.deepEqual(await keysOf(next.store, '/contract/', b), ['/contract/a', '/contract/b']);
      assert.equal(shown((await next.store.get('/contract/a', { revision: a })).entry), `"1"@${a} created ${a}`);
      assert.equal(await put(next.store, '/contract/a', '4', updated), gone + 1);
    } finally {
      await next.dispose();
    }
  },

  'watches resume at their revision': async (opened) => {
    const { store } = opened;
    const before = await store.currentRevision();
    const recording = Recording.start(store, '/contract/', before);
    const a = await put(store, '/contract/a', '1');
    const b = await put(store, '/contract/a', '2', a);
    succeeded(await store.delete('/contract/a', { expected: b }));
    const seen = await recording.lines(3);
    const next = await reopened(opened);
    try {
      for (const skipped of [0, 1, 2, 3]) {
        const again = Recording.start(next.store, '/contract/', before + skipped);
        await again.caughtUp(next.store);
        assert.deepEqual(again.events.map(line), seen.slice(skipped));
      }
    } finally {
      await next.dispose();
    }
  },

  'compacted revisions stay compacted': async (opened) => {
    const { store } = opened;
    const first = await put(store, '/contract/a', '1');
    const second = await put(store, '/contract/a', '2', first);
    await put(store, '/contract/b', '3');
    await store.compact(second);
    const next = await reopened(opened);
    try {
      assert.equal(await next.store.compactedRevision(), second);
      await assert.rejects(next.store.get('/contract/a', { revision: first }), CompactedError);
      assert.equal(
        shown((await next.store.get('/contract/a', { revision: second })).entry),
        `"2"@${second} created ${first}`,
      );
    } finally {
      await next.dispose();
    }
  },

  'keys with a time to live still expire, and others stay': async (opened) => {
    const { store } = opened;
    const short = succeeded(await store.put('/contract/short', bytes('x'), { expected: 0, ttlSeconds: 1 }));
    const long = succeeded(await store.put('/contract/long', bytes('x'), { expected: 0, ttlSeconds: 3600 }));
    const next = await reopened(opened);
    try {
      const recording = Recording.start(next.store, '/contract/short', short);
      await aKeyExpires(next);
      await recording.until(() => recording.events.length > 0);
      assert.deepEqual(
        recording.events.map(({ type, previous }) => [type, previous?.modRevision]),
        [['delete', short]],
      );
      assert.equal((await next.store.get('/contract/long')).entry?.modRevision, long);
    } finally {
      await next.dispose();
    }
  },
};
