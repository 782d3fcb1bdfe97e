import { describe, expect, it, vi } from 'vitest';
import { CompactedError, FutureRevisionError, StoreUnavailableError } from '../errors.ts';
import { ScriptedStore } from './scripted-store.test-data.ts';
import { a, b, create, elsewhere, prefix, record, shown, started, useTurnableTime } from './texts-cache.test-data.ts';

useTurnableTime();

describe('store failures', () => {
  it('starts when the store becomes available, with growing pauses between attempts', async () => {
    const store = new ScriptedStore();
    store.write({ [a]: 'one' });
    store.failure = new StoreUnavailableError('no connection');
    const { cache, errors } = create(store);
    const start = cache.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(errors).toHaveLength(1);
    for (const pause of [100, 200, 400, 800, 1600, 3200, 5000, 5000]) {
      const before = errors.length;
      await vi.advanceTimersByTimeAsync(pause - 1);
      expect(errors).toHaveLength(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(errors).toHaveLength(before + 1);
    }
    store.failure = undefined;
    await vi.advanceTimersByTimeAsync(5000);
    await start;
    expect(shown(cache)).toEqual({ [a]: 'one' });
    cache.stop();
  });

  it('shortens pauses by a random jitter of up to half', async () => {
    const store = new ScriptedStore();
    const { cache } = await started(store, { random: () => 0.5 });
    store.breakWatches(new Error('gone'));
    await vi.advanceTimersByTimeAsync(74);
    expect(store.watches).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(store.watches).toBe(1);
    cache.stop();
  });

  it('resumes a broken watch at the last revision, and watchers are not ended', async () => {
    const store = new ScriptedStore();
    const { cache, errors } = await started(store);
    const watcher = record(cache, prefix, 1);
    store.write({ [a]: 'one' });
    const broken = new Error('connection reset');
    store.breakWatches(broken);
    store.write({ [a]: 'two', [b]: 'three' });
    expect(cache.get(a)?.value).toBe('one');
    await vi.advanceTimersByTimeAsync(100);
    expect(watcher.lines).toEqual(['put default/a@2 one<', 'put default/a@3 two<one', 'put default/b@4 three<']);
    expect(watcher.ends).toEqual([]);
    expect(errors).toEqual([broken]);
    expect(store.watchedFrom).toEqual([1, 2]);
    cache.stop();
  });

  it('resumes from the last progress revision, so that compacted changes of other prefixes do not matter', async () => {
    const store = new ScriptedStore();
    const { cache } = await started(store);
    const watcher = record(cache, prefix, 1);
    store.write({ [elsewhere]: 'x' });
    await cache.fresh();
    await store.compact(2);
    store.breakWatches(new Error('gone'));
    await vi.advanceTimersByTimeAsync(100);
    store.write({ [a]: 'one' });
    expect(watcher.lines).toEqual(['put default/a@3 one<']);
    cache.stop();
  });

  it('lists again when the revision is compacted, and ends watchers after that', async () => {
    const store = new ScriptedStore();
    store.write({ [a]: 'one', [b]: 'x' });
    const { cache, errors } = await started(store);
    const watcher = record(cache, prefix, 3);
    store.breakWatches(new Error('gone'));
    store.write({ [a]: 'two', [b]: undefined });
    await store.compact(5);
    await vi.advanceTimersByTimeAsync(100);
    expect(errors).toEqual([new Error('gone'), expect.any(CompactedError)]);
    expect([watcher.ends, shown(cache)]).toEqual([[], { [a]: 'one', [b]: 'x' }]);
    await vi.advanceTimersByTimeAsync(200);
    expect(watcher.ends).toEqual([
      expect.objectContaining({ name: 'CompactedError', revision: 3, compactedRevision: 5 }),
    ]);
    expect(watcher.lines).toEqual([]);
    expect(shown(cache)).toEqual({ [a]: 'two' });
    expect(() => record(cache, prefix, 3)).toThrow(CompactedError);
    const again = record(cache, prefix, 5);
    store.write({ [a]: 'three' });
    expect(again.lines).toEqual(['put default/a@6 three<two']);
    cache.stop();
  });

  it('lists again when the store’s revision has gone back', async () => {
    const store = new ScriptedStore();
    store.write({ [a]: 'one' });
    store.write({ [a]: 'two', [b]: 'x' });
    const { cache, errors } = await started(store);
    const watcher = record(cache, prefix, 4);
    store.restore(2);
    store.breakWatches(new Error('gone'));
    await vi.advanceTimersByTimeAsync(300);
    expect(errors.at(-1)).toBeInstanceOf(FutureRevisionError);
    expect(watcher.ends).toEqual([expect.any(CompactedError)]);
    expect([cache.revision, shown(cache)]).toEqual([2, { [a]: 'one' }]);
    cache.stop();
  });

  it('lists again when the store sends revisions out of order', async () => {
    const store = new ScriptedStore();
    store.write({ [a]: 'one' });
    store.write({ [a]: 'two' });
    const { cache, errors } = await started(store);
    const watcher = record(cache, prefix, 3);
    const entry = { key: b, value: new Uint8Array(), createRevision: 3, modRevision: 3 };
    store.sendRaw([{ type: 'put', key: b, revision: 3, entry }]);
    expect(cache.get(b)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(100);
    expect(errors).toMatchObject([{ name: 'WrongOrderError' }]);
    expect(watcher.ends).toEqual([expect.any(CompactedError)]);
    expect(shown(cache)).toEqual({ [a]: 'two' });
    store.write({ [a]: 'three' });
    expect(shown(cache)).toEqual({ [a]: 'three' });
    cache.stop();
  });

  it('lists again when the revision is compacted during the start', async () => {
    const store = new ScriptedStore();
    for (let round = 2; round <= 7; round++) store.write({ [a]: `${round}` });
    const { cache, errors } = create(store);
    const start = cache.start();
    await store.compact(6);
    await vi.advanceTimersByTimeAsync(100);
    await start;
    expect(errors).toEqual([expect.any(CompactedError)]);
    expect(cache.stats.oldestRevision).toBe(6);
    expect(shown(cache)).toEqual({ [a]: '7' });
    cache.stop();
  });

  it('does not finish the start before all history was delivered, however many progress requests that takes', async () => {
    const store = new ScriptedStore();
    store.write({ [a]: 'one', [elsewhere]: 'x', [b]: 'two' });
    store.holdEvents = true;
    const { cache } = create(store);
    const onStart = vi.fn();
    const start = cache.start().then(onStart);
    await vi.advanceTimersByTimeAsync(1000);
    store.deliverSome(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(onStart).not.toHaveBeenCalled();
    store.holdEvents = false;
    await vi.advanceTimersByTimeAsync(100);
    await start;
    expect(shown(cache)).toEqual({ [a]: 'one', [b]: 'two' });
    cache.stop();
  });

  it('continues when onError throws', async () => {
    const store = new ScriptedStore();
    const onError = vi.fn(() => {
      throw new Error('the log is full');
    });
    const { cache } = await started(store, { onError });
    store.write({ [a]: 'bad' });
    store.write({ [b]: 'one' });
    expect(onError).toHaveBeenCalledOnce();
    expect(shown(cache)).toEqual({ [b]: 'one' });
    cache.stop();
  });
});
