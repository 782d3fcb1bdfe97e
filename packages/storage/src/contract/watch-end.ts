import assert from 'node:assert/strict';
import { CompactedError } from '../errors.ts';
import { put, putAll } from './expectations.ts';
import { Recording } from './recording.ts';
import { bytes, type ContractCases } from './store-under-test.ts';

const prefix = '/contract/w/';

export const watchEndCases: ContractCases = {
  'after stop only onEnd is called': async ({ store }) => {
    const before = await store.currentRevision();
    const stopped = Recording.start(store, prefix, before);
    const control = Recording.start(store, prefix, before);
    await put(store, `${prefix}a`, 'a');
    await Promise.all([stopped.lines(1), control.lines(1)]);
    stopped.watch.stop();
    stopped.watch.stop();
    stopped.watch.requestProgress();
    await put(store, `${prefix}b`, 'b');
    await control.lines(2);
    await control.caughtUp(store);
    await stopped.until(() => stopped.ends.length > 0);
    assert.deepEqual([stopped.events.length, stopped.progress, stopped.faults], [1, [], []]);
    assert.deepEqual(stopped.ends, [{ error: undefined }]);
  },

  'a watch that is stopped before its history was delivered receives no events': async ({ store }) => {
    const before = await store.currentRevision();
    await putAll(
      store,
      ['a', 'b', 'c'].map((name) => prefix + name),
    );
    const stopped = Recording.start(store, prefix, before);
    stopped.watch.stop();
    await Recording.start(store, prefix, before).lines(3);
    await stopped.until(() => stopped.ends.length > 0);
    assert.deepEqual([stopped.events, stopped.ends, stopped.faults], [[], [{ error: undefined }], []]);
  },

  'a handler may stop its watch': async ({ store }) => {
    const before = await store.currentRevision();
    const revision = await putAll(
      store,
      ['a', 'b', 'c'].map((name) => prefix + name),
    );
    for (const after of [before, revision]) {
      let calls = 0;
      const ended = new Promise<Error | undefined>((resolve) => {
        const watch = store.watch(prefix, after, {
          onEvents: () => {
            calls++;
            watch.stop();
          },
          onEnd: resolve,
        });
      });
      await put(store, `${prefix}${after}`, 'x');
      await put(store, `${prefix}${after}-2`, 'x');
      assert.equal(await ended, undefined);
      await Recording.start(store, prefix, after).caughtUp(store);
      assert.equal(calls, 1);
    }
  },

  'a watch from before compaction ends with CompactedError': async ({ store }) => {
    const before = await store.currentRevision();
    const last = await putAll(
      store,
      ['a', 'b', 'c', 'd'].map((name) => prefix + name),
    );
    await store.compact(last - 1);
    for (const after of [before, last - 3]) {
      const recording = Recording.start(store, prefix, after);
      await recording.until(() => recording.ends.length > 0);
      const error = recording.ends[0]?.error;
      assert.ok(error instanceof CompactedError, `ended with ${error}`);
      assert.equal(error.compactedRevision, last - 1);
      assert.deepEqual([recording.events, recording.faults], [[], []]);
    }
  },

  'compaction does not end a running watch': async ({ store }) => {
    const recording = Recording.start(store, prefix, await store.currentRevision());
    const first = await put(store, `${prefix}a`, 'a');
    await recording.lines(1);
    const second = await put(store, `${prefix}a`, 'b', first);
    await store.compact(second);
    const third = await put(store, `${prefix}a`, 'c', second);
    assert.equal((await recording.lines(3)).at(-1), `put ${prefix}a@${third} "c" created ${first}, was "b"@${second}`);
    assert.deepEqual(recording.ends, []);
  },

  'closing the store ends its watches without error': async ({ store }) => {
    const revision = await store.currentRevision();
    const recordings = [Recording.start(store, prefix, revision), Recording.start(store, prefix, revision + 100)];
    await store.put(`${prefix}a`, bytes('a'), { expected: 0 });
    await recordings[0]!.lines(1);
    await store.close();
    for (const recording of recordings) {
      await recording.until(() => recording.ends.length > 0);
      assert.deepEqual([recording.ends, recording.faults], [[{ error: undefined }], []]);
    }
  },
};
