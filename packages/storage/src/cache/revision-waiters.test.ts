import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../errors.ts';
import { ScriptedStore } from './scripted-store.test-data.ts';
import { a, b, create, elsewhere, started, useTurnableTime } from './texts-cache.test-data.ts';
import { TooLargeRevisionError } from './too-large-revision-error.ts';

useTurnableTime();

describe('freshness', () => {
  it('includes writes outside of the prefix, by progress notifications', async () => {
    const store = new ScriptedStore();
    const { cache } = await started(store);
    store.write({ [elsewhere]: 'x' });
    expect(cache.revision).toBe(1);
    await expect(cache.fresh()).resolves.toBe(2);
    store.write({ [elsewhere]: 'y' });
    cache.requestProgress();
    await cache.waitFor(3);
    expect(cache.revision).toBe(3);
    cache.stop();
  });

  it('waits for delayed events, and repeats progress requests that were lost', async () => {
    const store = new ScriptedStore();
    const { cache } = await started(store);
    store.holdEvents = true;
    store.write({ [a]: 'late' });
    const fresh = cache.fresh().then((revision) => [revision, cache.get(a)?.value]);
    await vi.advanceTimersByTimeAsync(250);
    store.holdEvents = false;
    await vi.advanceTimersByTimeAsync(100);
    await expect(fresh).resolves.toEqual([2, 'late']);
    cache.stop();
  });

  it('shares reads of the revision, but never uses one that began before the call', async () => {
    const store = new ScriptedStore();
    const { cache } = await started(store);
    let reads = 0;
    store.onRead = () => {
      reads++;
      // Written while the first read is in progress: the other calls came later and must see it.
      if (reads === 1) queueMicrotask(() => store.write({ [elsewhere]: 'x' }));
    };
    const first = cache.fresh();
    const others = [cache.fresh(), cache.fresh(), cache.fresh()];
    await first;
    expect(await Promise.all(others)).toEqual([2, 2, 2]);
    expect(reads).toBe(2);
    cache.stop();
  });

  it.each(['fresh', 'waitFor'] as const)('rejects %s when events do not arrive in time', async (method) => {
    const store = new ScriptedStore();
    const { cache } = await started(store);
    store.holdEvents = true;
    store.write({ [a]: 'late', [b]: 'later' });
    const waiting = method === 'fresh' ? cache.fresh() : cache.waitFor(3);
    const outcome = expect(waiting).rejects.toEqual(new TooLargeRevisionError(3, 1));
    await vi.advanceTimersByTimeAsync(3000);
    await outcome;
    await vi.advanceTimersByTimeAsync(100);
    cache.stop();
  });

  it('has upstream’s message for a too large revision', () => {
    expect(new TooLargeRevisionError(9, 3)).toMatchObject({
      message: 'Too large resource version: 9, current: 3',
      revision: 9,
      currentRevision: 3,
    });
  });

  it('rejects with the reason of a signal, before and while it waits', async () => {
    const store = new ScriptedStore();
    const { cache } = await started(store);
    const controller = new AbortController();
    const waiting = expect(cache.waitFor(99, { signal: controller.signal })).rejects.toThrow('enough');
    controller.abort(new Error('enough'));
    await waiting;
    await expect(cache.fresh({ signal: controller.signal })).rejects.toThrow('enough');
    cache.stop();
  });

  it('waits while the store is unavailable, and rejects with that reason after the timeout', async () => {
    const store = new ScriptedStore();
    store.write({ [a]: 'one' });
    const { cache, errors } = await started(store);
    const away = new StoreUnavailableError('no connection');
    store.failure = away;
    store.breakWatches(away);
    const short = expect(cache.fresh({ timeoutMs: 500 })).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      cause: away,
    });
    const known = expect(cache.waitFor(9, { timeoutMs: 500 })).rejects.toBeInstanceOf(StoreUnavailableError);
    const long = cache.fresh({ timeoutMs: 60_000 });
    await vi.advanceTimersByTimeAsync(500);
    await Promise.all([short, known]);
    expect(cache.get(a)?.value).toBe('one');
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.every((error) => error === away)).toBe(true);
    store.failure = undefined;
    await vi.advanceTimersByTimeAsync(1000);
    await expect(long).resolves.toBe(2);
    cache.stop();
  });

  it('waits before start has finished, too', async () => {
    const store = new ScriptedStore();
    store.write({ [a]: 'one' });
    const { cache } = create(store);
    const waiting = Promise.all([cache.fresh(), cache.waitFor(2)]);
    await cache.start();
    await expect(waiting).resolves.toEqual([2, undefined]);
    cache.stop();
  });

  it('rejects at once for an error other than StoreUnavailableError', async () => {
    const store = new ScriptedStore();
    const { cache } = await started(store);
    store.failure = new Error('a bug');
    await expect(cache.fresh()).rejects.toBe(store.failure);
    cache.stop();
  });
});
