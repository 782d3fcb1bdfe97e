import { describe, expect, it } from 'vitest';
import { Limiter } from './limiter.ts';

describe('Limiter', () => {
  it('lets so many run at once, the others in order, and forgets what is aborted', async () => {
    const limiter = new Limiter(2);
    const events: string[] = [];
    const ends: (() => void)[] = [];
    const call = (name: string) => () => {
      events.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    const abort = new AbortController();
    const all = [limiter.run(call('a')), limiter.run(call('b'))];
    const aborted = limiter.run(call('c'), abort.signal);
    all.push(limiter.run(call('d')));
    abort.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    expect(events).toEqual(['a', 'b']);
    ends[0]!();
    await all[0];
    await expect.poll(() => events).toEqual(['a', 'b', 'd']);
    ends[1]!();
    ends[2]!();
    await Promise.all(all);
    expect(await limiter.run(async () => 'free')).toBe('free');
  });
});
