import assert from 'node:assert/strict';
import { put, succeeded } from './expectations.ts';
import { Recording } from './recording.ts';
import { bytes, type ContractCases } from './store-under-test.ts';

const key = '/contract/w/key';

/** Tests of guarantees that only drivers in this process make. */
export const inProcessWatchCases: ContractCases = {
  'watchers receive a write before its promise resolves': async ({ store }) => {
    const recording = Recording.start(store, '/contract/w/', await store.currentRevision());
    await recording.caughtUp(store);
    const heard: number[] = [];
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const revision = await put(store, `${key}/${index}`, 'x');
        if (recording.events.some((event) => event.revision === revision)) heard.push(index);
      }),
    );
    assert.equal(heard.length, 50);
    const { revision } = await store.get(`${key}/0`);
    succeeded(
      await store.delete(`${key}/0`, { expected: recording.events.find((e) => e.key === `${key}/0`)!.revision }),
    );
    assert.equal(recording.events.at(-1)?.revision, revision + 1);
  },

  'reads see a write that a watcher has received': async ({ store }) => {
    const reads: Promise<[string, number, number | undefined]>[] = [];
    const watch = store.watch('/contract/w/', await store.currentRevision(), {
      onEvents: (events) => {
        for (const event of events) {
          reads.push(store.get(event.key).then(({ entry }) => [event.key, event.revision, entry?.modRevision]));
        }
      },
    });
    await Promise.all(Array.from({ length: 20 }, (_, index) => put(store, `${key}/${index}`, 'x')));
    for (const [name, heard, read] of await Promise.all(reads)) assert.equal(read, heard, name);
    assert.equal(reads.length, 20);
    watch.stop();
  },

  'a note is passed to watchers unchanged and is not stored': async ({ store }) => {
    const before = await store.currentRevision();
    const recording = Recording.start(store, '/contract/w/', before);
    await recording.caughtUp(store);
    const notes = [{ kind: 'Pod' }, { kind: 'Gone' }];
    const revision = succeeded(await store.put(key, bytes('a'), { expected: 0, note: notes[0] }));
    succeeded(await store.delete(key, { expected: revision, note: notes[1] }));
    assert.deepEqual(
      recording.events.map(({ note }, index) => note === notes[index]),
      [true, true],
    );
    const later = Recording.start(store, '/contract/w/', before);
    await later.lines(2);
    assert.deepEqual(
      later.events.map(({ note }) => note),
      [undefined, undefined],
    );
  },
};

/** Tests of the limits of drivers for stores in other processes. */
export const remoteWatchCases: ContractCases = {
  'a note is accepted and not passed to watchers': async ({ store }) => {
    const recording = Recording.start(store, '/contract/w/', await store.currentRevision());
    const revision = succeeded(await store.put(key, bytes('a'), { expected: 0, note: { kind: 'Pod' } }));
    succeeded(await store.delete(key, { expected: revision, note: { kind: 'Gone' } }));
    await recording.lines(2);
    assert.deepEqual(
      recording.events.map(({ note }) => note),
      [undefined, undefined],
    );
  },
};
