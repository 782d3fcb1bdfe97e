import { FakeClock } from '@coxswain/apimachinery/clock';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { line, Recording } from '../contract/recording.ts';
import { CompactedError, StoreFullError, StoreUnavailableError } from '../errors.ts';
import { MemoryLog } from '../memory/memory-log.ts';
import type { Store, StoreEvent } from '../store.ts';
import { FaultyLog } from './faulty-log.test-data.ts';
import { MvccStore } from './mvcc-store.ts';

const open = (log = new MemoryLog()) =>
  new MvccStore({ driver: 'memory', log, clock: new FakeClock(), eventLoop: systemEventLoop });
const bytes = (text: string) => Buffer.from(text);
const textOf = (value: Uint8Array) => Buffer.from(value).toString();

async function put(store: Store, key: string, value: string, expected = 0): Promise<number> {
  const result = await store.put(key, bytes(value), { expected });
  expect(result.ok).toBe(true);
  return result.revision;
}

describe('MvccStore against a model', () => {
  const key = fc.constantFrom('a', 'a/b', 'b', 'é', '\uffff', '😀');
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), key, remove: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const), back: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  );

  it('reads, watches and compacts like a model that keeps every state', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const log = new MemoryLog();
        let store = open(log);
        /** The state at each revision. */
        const states: Map<string, string>[] = [new Map(), new Map()];
        const events: string[] = [];
        let compacted = 0;
        for (const [index, each] of steps.entries()) {
          const revision = states.length - 1;
          const state = new Map(states[revision]);
          if (each.kind === 'write') {
            const expected = (await store.get(each.key)).entry?.modRevision ?? 0;
            const result = each.remove
              ? await store.delete(each.key, { expected })
              : await store.put(each.key, bytes(`${index}`), { expected });
            expect(result.ok).toBe(!each.remove || state.has(each.key));
            if (!result.ok) continue;
            const was = state.get(each.key);
            if (each.remove) state.delete(each.key);
            else state.set(each.key, `${index}`);
            states.push(state);
            events.push(`${each.remove ? 'delete' : 'put'} ${each.key} ${state.get(each.key) ?? ''} was ${was ?? ''}`);
          } else if (each.kind === 'compact') {
            const target = Math.max(revision - each.back, 1);
            compacted = Math.max(compacted, target);
            await store.compact(target);
          } else {
            store = open(log);
          }
        }
        const last = states.length - 1;
        for (let revision = 0; revision <= last; revision++) {
          const read = store.list('', { revision });
          if (revision < compacted) {
            await expect(read).rejects.toBeInstanceOf(CompactedError);
            continue;
          }
          const sorted = [...(states[revision] ?? [])].sort(([a], [b]) => Buffer.compare(bytes(a), bytes(b)));
          expect((await read).entries.map((entry) => [entry.key, textOf(entry.value)])).toEqual(sorted);
          const page = await store.list('', { revision, limit: 2, from: 'a/' });
          const wanted = sorted.filter(([name]) => Buffer.compare(bytes(name), bytes('a/')) >= 0);
          expect(page.entries.map((entry) => entry.key)).toEqual(wanted.slice(0, 2).map(([name]) => name));
          expect(page.remaining).toBe(Math.max(0, wanted.length - 2));
        }
        const recording = Recording.start(store, '', compacted);
        await recording.caughtUp(store);
        expect(recording.events.map(shown)).toEqual(events.slice(Math.max(0, compacted - 1)));
        expect(await store.count('')).toBe(states[last]?.size);
        await store.close();
      }),
      { numRuns: 150 },
    );
  });

  function shown(event: StoreEvent): string {
    const value = event.type === 'put' ? textOf(event.entry.value) : '';
    return `${event.type} ${event.key} ${value} was ${event.previous ? textOf(event.previous.value) : ''}`;
  }
});

describe('MvccStore', () => {
  it.each(['', 'a\0b', '\ud800', 'a\udc00'])('refuses %j as a key', async (key) => {
    const store = open();
    await expect(store.put(key, bytes('x'), { expected: 0 })).rejects.toBeInstanceOf(TypeError);
    await expect(store.delete(key, { expected: 0 })).rejects.toBeInstanceOf(TypeError);
  });

  it('begins at revision 1 and can be watched from 0', async () => {
    const store = open();
    expect(await store.currentRevision()).toBe(1);
    const revision = await put(store, 'a', 'x');
    expect(revision).toBe(2);
    expect(await Recording.start(store, '', 0).lines(1)).toEqual(['put a@2 "x" created 2']);
  });

  it('ends watches from before the compacted revision, also from the one just before it', async () => {
    const store = open();
    const revision = await put(store, 'a', 'x');
    await store.compact(revision);
    const recording = Recording.start(store, '', revision - 1);
    await recording.until(() => recording.ends.length > 0);
    expect(recording.ends).toEqual([{ error: new CompactedError(revision - 1, revision) }]);
  });

  it('shares the events of a group among the watches of a prefix', async () => {
    const store = open();
    const seen: (readonly StoreEvent[])[] = [];
    for (let index = 0; index < 2; index++) store.watch('/a/', 1, { onEvents: (events) => void seen.push(events) });
    await Promise.all([put(store, '/a/1', 'x'), put(store, '/b/1', 'y'), put(store, '/a/2', 'z')]);
    expect(seen.length).toBe(2);
    expect(seen[0]).toBe(seen[1]);
    expect(seen[0]?.map(({ key }) => key)).toEqual(['/a/1', '/a/2']);
  });

  it('ends only the watch whose handler throws', async () => {
    const store = open();
    const thrown = new Error('a bug');
    const ended = new Promise((resolve) => {
      store.watch('', 1, {
        onEvents: () => {
          throw thrown;
        },
        onEnd: resolve,
      });
    });
    const other = Recording.start(store, '', 1);
    await put(store, 'a', 'x');
    expect(await ended).toBe(thrown);
    await put(store, 'b', 'y');
    expect(other.events.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it('reads a large list in slices, and compaction keeps the records it needs', async () => {
    const store = open();
    const keys = Array.from({ length: 5000 }, (_, index) => `/k/${String(index).padStart(5, '0')}`);
    await Promise.all(keys.map((key) => put(store, key, 'old')));
    const revision = await store.currentRevision();
    const reading = store.list('/k/');
    const last = keys.at(-1) as string;
    const entry = (await store.get(last)).entry;
    const updated = await put(store, last, 'new', entry?.modRevision);
    const compacting = store.compact(updated);
    const { entries, remaining, revision: readAt } = await reading;
    expect([entries.length, remaining, readAt]).toEqual([5000, 0, revision]);
    expect(entries.every(({ value }) => textOf(value) === 'old')).toBe(true);
    await compacting;
    expect(textOf((await store.get(last)).entry?.value ?? bytes(''))).toBe('new');
  });
});

describe('MvccStore over a log that fails', () => {
  it('rejects the group and the writes decided on it, and continues from the committed state', async () => {
    const log = new FaultyLog();
    const store = open(log);
    const recording = Recording.start(store, '', 1);
    const first = await put(store, 'a', '1');
    log.holdAppends();
    const failing = [
      store.put('a', bytes('2'), { expected: first }),
      store.put('b', bytes('2'), { expected: 0 }),
      // It conflicts with a write that will fail.
      store.put('b', bytes('3'), { expected: 0 }),
    ];
    await log.appending();
    const following = [
      store.put('a', bytes('4'), { expected: first + 1 }),
      store.delete('b', { expected: first + 2 }),
      store.put('c', bytes('5'), { expected: 0 }),
    ];
    expect((await store.get('a')).entry?.modRevision).toBe(first);
    log.failAppends(new Error('no space left on device'));
    for (const write of [...failing, ...following]) {
      await expect(write).rejects.toThrow(StoreUnavailableError);
      await expect(write).rejects.toThrow('no space left on device');
    }
    expect(await store.currentRevision()).toBe(first);
    expect((await store.list('')).entries.map(({ key, value }) => `${key}=${textOf(value)}`)).toEqual(['a=1']);
    expect(recording.events.map(line)).toEqual([`put a@${first} "1" created ${first}`]);

    log.releaseAppends();
    expect(await put(store, 'a', '6', first)).toBe(first + 1);
    expect(recording.events.length).toBe(2);
    await store.close();
  });

  it('does not show a write to readers or watchers before it is durable', async () => {
    const log = new FaultyLog();
    const store = open(log);
    const recording = Recording.start(store, '', 1);
    log.holdAppends();
    const write = store.put('a', bytes('1'), { expected: 0 });
    const loser = store.put('a', bytes('2'), { expected: 0 });
    await log.appending();
    expect([(await store.get('a')).entry, await store.count(''), await store.currentRevision()]).toEqual([
      undefined,
      0,
      1,
    ]);
    expect(recording.events).toEqual([]);
    log.releaseAppends();
    expect(await write).toEqual({ ok: true, revision: 2 });
    expect(await loser).toMatchObject({ ok: false, current: { key: 'a', modRevision: 2 } });
    await store.close();
  });

  it('resumes a compaction that failed half way', async () => {
    const log = new FaultyLog();
    const store = open(log);
    let revision = 0;
    for (let index = 0; index < 1200; index++) revision = await put(store, 'a', `${index}`, revision);
    log.failRemovals = 1;
    await expect(store.compact(revision)).rejects.toThrow(StoreUnavailableError);
    // The compacted revision is stored nevertheless: a partly removed history must not be read.
    expect(await store.compactedRevision()).toBe(revision);
    const again = open(log);
    const next = await put(again, 'a', 'last', revision);
    await again.compact(next);
    expect([...log.records()].map((record) => record.revision)).toEqual([next]);
    await again.close();
  });

  it('refuses new keys when there is no room, accepts changes and deletions, and compacts their history at once', async () => {
    const log = new FaultyLog();
    const store = open(log);
    const [a, b] = [await put(store, 'a', '1'), await put(store, 'b', '1')];
    await store.checkWritable();
    log.full = { removals: 100 };
    await expect(store.checkWritable()).rejects.toBeInstanceOf(StoreFullError);
    await expect(store.put('c', bytes('1'), { expected: 0 })).rejects.toBeInstanceOf(StoreFullError);
    const changed = await put(store, 'a', '2', a);
    expect(await store.delete('b', { expected: b })).toEqual({ ok: true, revision: changed + 1 });
    // Runs after the automatic compactions.
    await store.compact(changed + 1);
    expect([...log.records()].map(({ revision }) => revision)).toEqual([changed]);
    log.full = undefined;
    await store.checkWritable();
    expect(await put(store, 'c', '1')).toBe(changed + 2);
    await store.close();
  });

  it('applies the deletions of a group that has no room for its puts', async () => {
    const log = new FaultyLog();
    const store = open(log);
    const [a, b] = [await put(store, 'a', '1'), await put(store, 'b', '1')];
    log.holdAppends();
    const writes = [
      store.put('c', bytes('1'), { expected: 0 }),
      store.delete('a', { expected: a }),
      store.put('d', bytes('1'), { expected: 0 }),
    ];
    await log.appending();
    const later = store.delete('b', { expected: b });
    log.failAppends(new StoreFullError());
    log.releaseAppends();
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect([await writes[1], await later].map((result) => result?.ok)).toEqual([true, true]);
    expect(await store.count('')).toBe(0);
    await store.close();
  });

  it('compacts in smaller slices when there is no room for large ones', async () => {
    const log = new FaultyLog();
    const store = open(log);
    let revision = 0;
    for (let index = 0; index < 1200; index++) revision = await put(store, 'a', `${index}`, revision);
    log.full = { removals: 40 };
    await store.compact(revision);
    expect([...log.records()].map((record) => record.revision)).toEqual([revision]);
    // Smaller slices do not help when there is no room at all.
    revision = await put(store, 'a', 'last', revision);
    log.full = { removals: 0 };
    await expect(store.compact(revision)).rejects.toThrow('compaction failed: the store is full');
    log.full = { removals: 1 };
    await store.compact(revision);
    expect([...log.records()].map((record) => record.revision)).toEqual([revision]);
    await store.close();
  });

  it('ends watches when the previous value cannot be read, and still acknowledges the write', async () => {
    const log = new FaultyLog();
    const store = open(log);
    const first = await put(store, 'a', '1');
    const recording = Recording.start(store, '', first);
    log.unreadable = first;
    const second = await put(store, 'a', '2', first);
    await recording.until(() => recording.ends.length > 0);
    expect(recording.ends).toEqual([{ error: new Error('the disk cannot be read') }]);
    expect((await store.get('a')).entry?.modRevision).toBe(second);
    await store.close();
  });

  it('rejects writes when too many are waiting', async () => {
    const log = new FaultyLog();
    const store = open(log);
    log.holdAppends();
    const value = new Uint8Array(100 * 1024 * 1024);
    const writes = ['a', 'b', 'c'].map((key) => store.put(key, value, { expected: 0 }));
    await expect(writes[2]).rejects.toThrow('too many writes are waiting for the disk');
    log.releaseAppends();
    expect((await Promise.all(writes.slice(0, 2))).map(({ ok }) => ok)).toEqual([true, true]);
    await store.close();
  });
});
