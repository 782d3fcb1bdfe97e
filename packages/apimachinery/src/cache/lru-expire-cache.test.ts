import { describe, expect, it } from 'vitest';
import { LruExpireCache } from './lru-expire-cache.ts';

function newCache(capacity = 2) {
  const clock = { ms: 1_000_000 };
  return { clock, cache: new LruExpireCache<string, string>(capacity, () => new Date(clock.ms)) };
}

describe('LruExpireCache', () => {
  it('holds an entry until it expires', () => {
    const { cache, clock } = newCache();
    cache.set('a', 'short', 10);
    cache.set('b', 'long', 20);
    clock.ms += 9;
    expect([cache.get('a'), cache.get('b')]).toEqual(['short', 'long']);
    clock.ms += 1;
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 'long']);
  });

  it('evicts the least recently used entry when it is full', () => {
    const { cache } = newCache();
    cache.set('a', '1', 10);
    cache.set('b', '2', 10);
    cache.get('a');
    cache.set('c', '3', 10);
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual(['1', undefined, '3']);
  });

  it('does not keep an entry longer when the clock is set back', () => {
    const { cache, clock } = newCache();
    cache.set('a', '1', 10);
    clock.ms -= 1;
    expect(cache.get('a')).toBeUndefined();
  });

  it('removes the entry when the time to live is zero or less', () => {
    const { cache } = newCache();
    cache.set('a', '1', 10);
    cache.set('a', '2', 0);
    expect(cache.get('a')).toBeUndefined();
  });
});
