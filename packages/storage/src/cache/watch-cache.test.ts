import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it, vi } from 'vitest';
import { StoreClosedError, StoreUnavailableError } from '../errors.ts';
import { ScriptedStore } from './scripted-store.test-data.ts';
import {
  a,
  b,
  c,
  create,
  elsewhere,
  prefix,
  record,
  shown,
  started,
  useTurnableTime,
} from './texts-cache.test-data.ts';

useTurnableTime();

describe('reading', () => {
  it('holds everything stored below the prefix at its revision after the start', async () => {
    const store = new ScriptedStore();
    store.write({ [a]: 'one', [elsewhere]: 'x', [c]: 'two' });
    const { cache } = create(store);
    expect([cache.revision, cache.get(a)]).toEqual([0, undefined]);
    const start = cache.start();
    expect(cache.start()).toBe(start);
    await start;
    expect(cache.revision).toBe(4);
    expect(cache.get(a)).toMatchObject({ key: a, revision: 2, value: 'one' });
    expect(cache.get(elsewhere)).toBeUndefined();
    expect(shown(cache)).toEqual({ [a]: 'one', [c]: 'two' });
    store.write({ [a]: 'changed', [c]: undefined });
    expect(shown(cache)).toEqual({ [a]: 'changed' });
    expect(cache.revision).toBe(6);
    cache.stop();
  });

  it('lists in pages and counts what remains', async () => {
    const store = new ScriptedStore();
    store.write({ [a]: '1', [b]: '2', [c]: '3' });
    const { cache } = await started(store);
    const page = (options: { from?: string; limit?: number }, at = prefix) => {
      const { entries, remaining } = cache.list(at, options);
      return [entries.map(({ value }) => value).join(''), remaining];
    };
    expect(page({ limit: 2 })).toEqual(['12', 1]);
    expect(page({ limit: 3 })).toEqual(['123', 0]);
    expect(page({ limit: 1, from: `${a}\u0001` })).toEqual(['2', 1]);
    expect(page({ limit: 1 }, `${prefix}default/`)).toEqual(['1', 1]);
    expect(page({ from: c })).toEqual(['3', 0]);
    expect([cache.count(prefix), cache.count(`${prefix}default/`), cache.count(a)]).toEqual([3, 2, 1]);
    cache.stop();
  });

  it('reads long lists from the store in pages', async () => {
    const store = new ScriptedStore();
    const keys = Array.from({ length: 10_001 }, (_, index) => `${prefix}${index}`);
    store.write(Object.fromEntries(keys.map((key) => [key, 'x'])));
    await store.compact(store.revision);
    const { cache } = await started(store);
    expect(cache.count(prefix)).toBe(keys.length);
    cache.stop();
  });

  it('passes the writer’s note to decode', async () => {
    const store = new ScriptedStore();
    const decode = vi.fn(() => 'decoded');
    const { cache } = await started(store, { decode });
    const note = { an: 'object' };
    store.write({ [a]: 'one' }, note);
    expect(decode).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ key: a, modRevision: 2 }), note);
    cache.stop();
  });

  it('reports its size, with each value counted once', async () => {
    const store = new ScriptedStore();
    const { cache } = await started(store);
    store.write({ [a]: '1', [b]: '22' });
    store.write({ [a]: '4444' });
    store.write({ [a]: '88888888', [b]: undefined });
    record(cache, prefix, 1);
    expect(cache.stats).toEqual({
      entries: 1,
      bytes: 8,
      windowEvents: 5,
      windowBytes: 1 + 2 + 4,
      watchers: 1,
      oldestRevision: 1,
    });
    cache.stop();
  });
});

describe('watching', () => {
  it('delivers the window’s events before it returns, and later ones as they happen', async () => {
    const store = new ScriptedStore();
    const { cache } = await started(store);
    store.write({ [a]: 'one', [c]: 'two' });
    store.write({ [a]: 'three', [b]: 'four' });
    const all = record(cache, prefix, 2);
    const namespace = record(cache, `${prefix}default/`, 1);
    const one = record(cache, { key: a }, 1);
    expect(all.lines).toEqual(['put kube-system/c@3 two<', 'put default/a@4 three<one', 'put default/b@5 four<']);
    expect(namespace.lines).toEqual(['put default/a@2 one<', 'put default/a@4 three<one', 'put default/b@5 four<']);
    expect(one.lines).toEqual(['put default/a@2 one<', 'put default/a@4 three<one']);
    store.write({ [a]: undefined });
    for (const { lines } of [all, namespace, one]) expect(lines.at(-1)).toBe('delete default/a@6 three<three');
    expect(all.events.at(-1)).toBe(one.events.at(-1));
    all.stop();
    store.write({ [a]: 'again' });
    expect(all.lines).toHaveLength(4);
    expect(one.lines).toHaveLength(4);
    expect(all.ends).toEqual([undefined]);
    cache.stop();
    expect(one.ends).toEqual([undefined]);
  });

  it('uses the same entry objects in events and reads', async () => {
    const store = new ScriptedStore();
    const { cache } = await started(store);
    const { events } = record(cache, prefix, 1);
    store.write({ [a]: 'one' });
    expect(events[0]?.entry).toBe(cache.get(a));
    store.write({ [a]: 'two' });
    expect(events[1]?.previous).toBe(events[0]?.entry);
    cache.stop();
  });

  it('delivers every change once to a watcher that starts within a callback', async () => {
    const store = new ScriptedStore();
    const { cache } = await started(store);
    const inner: ReturnType<typeof record>[] = [];
    cache.watch(prefix, 1, {
      onEvents: () => inner.push(record(cache, prefix, 1), record(cache, prefix, cache.revision)),
      onEnd: () => {},
    });
    store.write({ [a]: 'one', [b]: 'two' });
    expect(inner.map(({ lines }) => lines)).toEqual([['put default/a@2 one<', 'put default/b@3 two<'], []]);
    cache.stop();
  });

  it('throws for a revision older than the window', async () => {
    const store = new ScriptedStore();
    const { cache } = await started(store, { window: { events: 2, bytes: 100 } });
    store.write({ [a]: '1', [b]: '2', [c]: '3' });
    const tooOld = expect.objectContaining({ name: 'CompactedError', revision: 1, compactedRevision: 2 });
    expect(() => record(cache, prefix, 1)).toThrow(tooOld);
    expect(record(cache, prefix, 2).lines).toHaveLength(2);
    cache.stop();
  });

  it('drops old events at the next change and at progress without changes', async () => {
    const store = new ScriptedStore();
    const clock = new FakeClock(0);
    const window = { ageMs: 100, oldEvents: 1 };
    const { cache } = await started(store, { window, clock });
    store.write({ [a]: '1', [b]: '2', [c]: '3' });
    clock.turn(50);
    store.write({ [a]: '4', [b]: '5' });
    clock.turn(51);
    store.write({ [c]: '6' });
    expect(cache.stats).toMatchObject({ windowEvents: 3, oldestRevision: 4 });
    clock.turn(899);
    cache.requestProgress();
    await vi.advanceTimersByTimeAsync(0);
    expect(cache.stats).toMatchObject({ windowEvents: 1, oldestRevision: 6 });
    cache.stop();
  });

  it('throws before it is filled and after it is stopped', async () => {
    const { cache } = create(new ScriptedStore());
    expect(() => record(cache, prefix, 0)).toThrow(StoreUnavailableError);
    await cache.start();
    cache.stop();
    expect(() => record(cache, prefix, 1)).toThrow(StoreClosedError);
  });

  it('fills the window from the store’s history, so that watchers resume after a restart', async () => {
    const store = new ScriptedStore();
    store.write({ [a]: 'one', [b]: 'x' });
    const before = await started(store);
    const watcher = record(before.cache, prefix, 1);
    store.write({ [a]: 'two', [b]: undefined });
    before.cache.stop();
    store.write({ [a]: 'three', [elsewhere]: 'y' });
    const after = await started(store);
    expect(shown(after.cache)).toEqual({ [a]: 'three' });
    expect(after.cache.revision).toBe(store.revision);
    expect(watcher.lines).toEqual([
      'put default/a@2 one<',
      'put default/b@3 x<',
      'put default/a@4 two<one',
      'delete default/b@5 x<x',
    ]);
    expect(record(after.cache, prefix, 1).lines).toEqual([...watcher.lines, 'put default/a@6 three<two']);
    expect(record(after.cache, prefix, 5).lines).toEqual(['put default/a@6 three<two']);
    after.cache.stop();
  });

  it.each<[sentence: string, events: number, compacted: number, oldest: number]>([
    ['as far back as the window’s size allows', 3, 1, 4],
    ['as far back as the store’s compacted revision', 100, 5, 5],
  ])('reads history %s', async (_, events, compacted, oldest) => {
    const store = new ScriptedStore();
    for (let round = 2; round <= 7; round++) store.write({ [a]: `${round}` });
    await store.compact(compacted);
    const { cache } = await started(store, { window: { events, bytes: 1000 } });
    expect(cache.stats.oldestRevision).toBe(oldest);
    expect(cache.get(a)).toMatchObject({ value: '7', revision: 7 });
    expect(record(cache, prefix, oldest).lines).toHaveLength(7 - oldest);
    cache.stop();
  });
});

describe('the end', () => {
  it.each(['the cache is stopped', 'the store is closed'])('ends watchers and waits when %s', async (what) => {
    const store = new ScriptedStore();
    store.write({ [a]: 'one' });
    const { cache, errors } = await started(store);
    const watcher = record(cache, prefix, 2);
    const waiting = expect(cache.waitFor(99)).rejects.toBeInstanceOf(StoreClosedError);
    if (what === 'the cache is stopped') cache.stop();
    else await store.close();
    await waiting;
    expect(watcher.ends).toEqual([undefined]);
    await expect(cache.fresh()).rejects.toBeInstanceOf(StoreClosedError);
    expect([store.watches, errors]).toEqual([0, []]);
    expect(cache.get(a)?.value).toBe('one');
  });

  it.each(['before the start', 'while the store is unavailable', 'while it lists'])(
    'can be stopped %s',
    async (when) => {
      const store = new ScriptedStore();
      if (when === 'while the store is unavailable') store.failure = new StoreUnavailableError('no connection');
      const { cache } = create(store);
      if (when !== 'before the start') void cache.start();
      if (when === 'while the store is unavailable') await vi.advanceTimersByTimeAsync(0);
      cache.stop();
      await expect(cache.start()).rejects.toBeInstanceOf(StoreClosedError);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(store.watchedFrom).toEqual([]);
    },
  );

  it('rejects start when the store is closed', async () => {
    const store = new ScriptedStore();
    await store.close();
    await expect(create(store).cache.start()).rejects.toBeInstanceOf(StoreClosedError);
  });
});
