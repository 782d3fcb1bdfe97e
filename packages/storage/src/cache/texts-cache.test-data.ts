import { afterEach, beforeEach, expect, vi } from 'vitest';
import type { CacheEvent } from './cache-entry.ts';
import type { ScriptedStore } from './scripted-store.test-data.ts';
import { WatchCache, type WatchCacheOptions } from './watch-cache.ts';
import type { WatchTarget } from './watchers.ts';

export const prefix = '/registry/pods/';
export const a = `${prefix}default/a`;
export const b = `${prefix}default/b`;
export const c = `${prefix}kube-system/c`;
export const elsewhere = '/registry/services/x';

/** Uses fake timers for each test, and checks that no timer is left at its end. */
export function useTurnableTime(): void {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
}

/** Returns a cache of strings. Those that begin with `bad` cannot be decoded. Retry pauses have no jitter. */
export function create(store: ScriptedStore, options: Partial<WatchCacheOptions<string>> = {}) {
  const errors: Error[] = [];
  const cache = new WatchCache<string>({
    store,
    prefix,
    decode: ({ value }) => {
      const text = new TextDecoder().decode(value);
      if (text.startsWith('bad')) throw new Error(`unreadable: ${text}`);
      return text;
    },
    sizeOf: (value) => value.length,
    onError: (error) => errors.push(error),
    random: () => 0,
    ...options,
  });
  return { cache, errors };
}

export async function started(store: ScriptedStore, options?: Partial<WatchCacheOptions<string>>) {
  const made = create(store, options);
  await made.cache.start();
  return made;
}

/**
 * Records a watcher's events as lines, for example `put a@3 one<zero` (key, revision, new value, previous value), and
 * its end.
 */
export function record(cache: WatchCache<string>, target: WatchTarget, after: number) {
  const lines: string[] = [];
  const events: CacheEvent<string>[] = [];
  const ends: (Error | undefined)[] = [];
  const { stop } = cache.watch(target, after, {
    onEvents: (batch) => {
      for (const event of batch) {
        const { type, key, revision, entry, previous } = event;
        events.push(event);
        lines.push(`${type} ${key.slice(prefix.length)}@${revision} ${entry.value}<${previous?.value ?? ''}`);
      }
    },
    onEnd: (error) => ends.push(error),
  });
  return { lines, events, ends, stop };
}

export function shown(cache: WatchCache<string>): Record<string, string> {
  return Object.fromEntries(cache.list(prefix).entries.map(({ key, value }) => [key, value]));
}
