import { describe, expect, it } from 'vitest';
import type { Authenticated } from './authenticator.ts';
import { TokenCache } from './token-cache.ts';

function newCache(maxEntries?: number) {
  const clock = { ms: 1_000_000 };
  const calls: string[] = [];
  let answer: Authenticated | Error | undefined = { user: { username: 'alice' } };
  const cache = new TokenCache(
    {
      async authenticateToken(token, audiences) {
        calls.push([token, ...audiences].join(' '));
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    { now: () => new Date(clock.ms), ...(maxEntries && { maxEntries }) },
  );
  const answers = (next: Authenticated | Error | undefined) => {
    answer = next;
  };
  return { cache, clock, calls, answers };
}

describe('TokenCache', () => {
  it('looks a token up again only after ten seconds', async () => {
    const { cache, clock, calls, answers } = newCache();
    const first = await cache.authenticateToken('t', []);
    answers(undefined);
    clock.ms += 9_999;
    expect(await cache.authenticateToken('t', [])).toBe(first);
    expect(calls).toEqual(['t']);
    clock.ms += 1;
    expect(await cache.authenticateToken('t', [])).toBeUndefined();
  });

  it('caches each combination of token and audiences separately', async () => {
    const { cache, calls } = newCache();
    for (const [token, audiences] of [
      ['t', []],
      ['t', ['a']],
      ['t', ['a', 'b']],
      ['t', ['ab']],
      ['t1:a', []],
      ['t2', []],
    ] as const)
      await cache.authenticateToken(token, audiences);
    expect(calls).toHaveLength(6);
  });

  it('shares one lookup among concurrent requests for a token', async () => {
    const { cache, calls, answers } = newCache();
    const [first, second] = await Promise.all([cache.authenticateToken('t', []), cache.authenticateToken('t', [])]);
    expect(first).toBe(second);
    answers(new Error('bad'));
    await Promise.all(['u', 'u'].map((token) => expect(cache.authenticateToken(token, [])).rejects.toThrow('bad')));
    expect(calls).toEqual(['t', 'u']);
  });

  it('does not cache refusals', async () => {
    const { cache, calls, answers } = newCache();
    answers(undefined);
    expect(await cache.authenticateToken('t', [])).toBeUndefined();
    answers(new Error('bad'));
    await expect(cache.authenticateToken('t', [])).rejects.toThrow('bad');
    answers({ user: { username: 'alice' } });
    expect(await cache.authenticateToken('t', [])).toBeDefined();
    expect(calls).toHaveLength(3);
  });

  it('evicts the oldest entry when it is full', async () => {
    const { cache, calls } = newCache(2);
    for (const token of ['a', 'b', 'c', 'c', 'b', 'a']) await cache.authenticateToken(token, []);
    expect(calls).toEqual(['a', 'b', 'c', 'a']);
  });

  it('does not extend the lifetime of entries when the clock is set back', async () => {
    const { cache, clock, calls } = newCache();
    await cache.authenticateToken('t', []);
    clock.ms -= 60_000;
    await cache.authenticateToken('t', []);
    expect(calls).toHaveLength(2);
  });
});
