import assert from 'node:assert/strict';
import type { Store } from '../store.ts';
import { put, putAll, succeeded } from './expectations.ts';
import { line, Recording } from './recording.ts';
import { bytes, type ContractCases } from './store-under-test.ts';

const key = '/contract/w/key';

/** Creates, changes, deletes and creates a key again. Returns the expected events. */
async function aLife(store: Store): Promise<string[]> {
  const a = await put(store, key, 'a');
  const b = await put(store, key, 'b', a);
  const gone = succeeded(await store.delete(key, { expected: b }));
  const c = await put(store, key, 'c');
  return [
    `put ${key}@${a} "a" created ${a}`,
    `put ${key}@${b} "b" created ${a}, was "a"@${a}`,
    `delete ${key}@${gone}, was "b"@${b}`,
    `put ${key}@${c} "c" created ${c}`,
  ];
}

export const watchCases: ContractCases = {
  'a watch receives every change with the previous entry': async ({ store }) => {
    const recording = Recording.start(store, '/contract/w/', await store.currentRevision());
    const expected = await aLife(store);
    assert.deepEqual(await recording.lines(4), expected);
    assert.deepEqual(recording.faults, []);
  },

  'a watch from an earlier revision starts with the history': async ({ store }) => {
    const before = await store.currentRevision();
    const expected = await aLife(store);
    for (const skipped of [0, 1, 2, 3]) {
      const recording = Recording.start(store, '/contract/w/', before + skipped);
      assert.deepEqual(await recording.lines(4 - skipped), expected.slice(skipped));
      assert.deepEqual(recording.faults, []);
    }
  },

  'history and live events join without gap or repetition': async ({ store }) => {
    const before = await store.currentRevision();
    const recordings: Recording[] = [];
    const last = before + 200;
    const writer = async (index: number) => {
      for (let round = 0; round < 25; round++) {
        const { revision } = await store.put(`/contract/w/${index}/${round}`, bytes('x'), { expected: 0 });
        // Each starts at another revision, some old and some recent.
        const after = round % 2 === 0 ? revision : before + ((index * 25 + round) % (revision - before));
        recordings.push(Recording.start(store, '/contract/w/', after));
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => writer(index)));
    assert.equal(await store.currentRevision(), last);
    await Promise.all(recordings.map((recording) => recording.caughtUp(store)));
    const all = Recording.start(store, '/contract/w/', before);
    const expected = await all.lines(200);
    for (const recording of recordings) {
      assert.deepEqual(recording.faults, []);
      assert.deepEqual(recording.events.map(line), expected.slice(expected.length - recording.events.length));
    }
    const revisions = all.events.map(({ revision }) => revision);
    assert.deepEqual(
      revisions,
      Array.from({ length: 200 }, (_, index) => before + 1 + index),
    );
    // Some watches started early enough to receive most of the events.
    assert.ok(recordings.some(({ events }) => events.length > 150));
  },

  'a watch starts exactly after its revision': async ({ store }) => {
    const before = await store.currentRevision();
    const last = await putAll(
      store,
      ['1', '2', '3', '4'].map((name) => `/contract/w/${name}`),
    );
    for (let after = before; after <= last; after++) {
      const recording = Recording.start(store, '/contract/w/', after);
      await recording.caughtUp(store);
      assert.deepEqual(
        recording.events.map(({ revision }) => revision),
        Array.from({ length: last - after }, (_, index) => after + 1 + index),
      );
    }
  },

  'a watch from a future revision starts after that revision': async ({ store }) => {
    const before = await store.currentRevision();
    const recording = Recording.start(store, '/contract/w/', before + 2);
    const last = await putAll(
      store,
      ['1', '2', '3'].map((name) => `/contract/w/${name}`),
    );
    assert.deepEqual(await recording.lines(1), [`put /contract/w/3@${last} "/contract/w/3" created ${last}`]);
  },

  'a watch receives the keys that begin with its prefix and no others': async ({ store }) => {
    const before = await store.currentRevision();
    const keys = ['', 's', 's/a', 's/a/b', 's.x/a', 't/a', 's/'].map((name) => `/contract/pod${name}`);
    const seen = async (live: boolean) => {
      const results: Record<string, string[]> = {};
      const recordings = ['/contract/pods/', '/contract/pods', '/contract/pods/a', '/contract/x'].map(
        (prefix) => [prefix, Recording.start(store, prefix, before)] as const,
      );
      if (live) await putAll(store, keys);
      for (const [prefix, recording] of recordings) {
        await recording.caughtUp(store);
        results[prefix] = recording.events.map((event) => event.key);
      }
      return results;
    };
    const expected = {
      '/contract/pods/': ['/contract/pods/a', '/contract/pods/a/b', '/contract/pods/'],
      '/contract/pods': keys.filter((each) => each.startsWith('/contract/pods')),
      '/contract/pods/a': ['/contract/pods/a', '/contract/pods/a/b'],
      '/contract/x': [],
    };
    assert.deepEqual(await seen(true), expected);
    assert.deepEqual(await seen(false), expected);
  },

  'failed writes cause no events': async ({ store }) => {
    const recording = Recording.start(store, '/contract/w/', await store.currentRevision());
    const created = await put(store, key, 'a');
    await store.put(key, bytes('b'), { expected: 0 });
    await store.delete(key, { expected: created + 1 });
    await store.delete('/contract/w/absent', { expected: 0 });
    const last = await put(store, key, 'c', created);
    assert.deepEqual(await recording.lines(2), [
      `put ${key}@${created} "a" created ${created}`,
      `put ${key}@${last} "c" created ${created}, was "a"@${created}`,
    ]);
  },

  'many watches of the same keys each receive all events': async ({ store }) => {
    const before = await store.currentRevision();
    const recordings = Array.from({ length: 50 }, () => Recording.start(store, '/contract/w/', before));
    const expected = await aLife(store);
    for (const recording of recordings) assert.deepEqual(await recording.lines(4), expected);
  },

  'progress is reported on request, also after writes outside of the prefix': async ({ store }) => {
    const recording = Recording.start(store, '/contract/w/', await store.currentRevision());
    const first = await put(store, key, 'a');
    const elsewhere = await put(store, '/contract/elsewhere', 'b');
    recording.watch.requestProgress();
    await recording.until(() => recording.progress.some((revision) => revision >= elsewhere));
    assert.deepEqual(
      recording.events.map(({ revision }) => revision),
      [first],
    );
  },

  'progress is reported after the events up to its revision': async ({ store }) => {
    const before = await store.currentRevision();
    const last = await putAll(
      store,
      Array.from({ length: 100 }, (_, index) => `/contract/w/${index}`),
    );
    let delivered = before;
    const progress: number[] = [];
    await new Promise<void>((resolve) => {
      const watch = store.watch('/contract/w/', before, {
        onEvents: (events) => {
          delivered = events.at(-1)!.revision;
        },
        onProgress: (revision) => {
          progress.push(Math.min(revision, last) - delivered);
          if (revision >= last) resolve();
        },
      });
      watch.requestProgress();
    });
    assert.ok(progress.every((missing) => missing <= 0));
  },

  'handlers may call the store and start watches': async ({ store }) => {
    const before = await store.currentRevision();
    const inner = await new Promise<Recording>((resolve) => {
      const outer = store.watch('/contract/w/', before, {
        onEvents: (events) => {
          outer.stop();
          const recording = Recording.start(store, '/contract/answers/', before);
          void store.put(`/contract/answers/${events[0]!.key}`, bytes('yes'), { expected: 0 });
          resolve(recording);
        },
      });
      void store.put(key, bytes('a'), { expected: 0 });
    });
    assert.deepEqual(
      (await inner.lines(1)).map((each) => each.replace(/@.*/, '')),
      [`put /contract/answers/${key}`],
    );
  },
};
