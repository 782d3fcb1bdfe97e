import { describe, expect, it } from 'vitest';
import { ScriptedStore } from './scripted-store.test-data.ts';
import { a, b, c, prefix, record, shown, started, useTurnableTime } from './texts-cache.test-data.ts';

useTurnableTime();

describe('values that cannot be decoded', () => {
  it('are only in undecodable, after the list and after later writes', async () => {
    const store = new ScriptedStore();
    store.write({ [a]: 'bad one', [b]: 'good' });
    const { cache, errors } = await started(store);
    const watcher = record(cache, prefix, store.revision);
    store.write({ [c]: 'bad two' });
    expect(shown(cache)).toEqual({ [b]: 'good' });
    expect([...cache.undecodable].map(([key, { message }]) => [key, message])).toEqual([
      [a, `cannot decode ${a} at revision 2`],
      [c, `cannot decode ${c} at revision 4`],
    ]);
    expect(errors).toEqual([...cache.undecodable.values()]);
    expect(errors.map(({ cause }) => cause)).toEqual([
      new Error('unreadable: bad one'),
      new Error('unreadable: bad two'),
    ]);
    expect(cache.revision).toBe(4);
    store.write({ [a]: undefined, [c]: 'repaired' });
    expect(cache.undecodable.size).toBe(0);
    expect(watcher.lines).toEqual(['put kube-system/c@6 repaired<']);
    cache.stop();
  });

  it.each<[sentence: string, next: string | undefined, line: string]>([
    ['is repaired', 'good', 'put default/a@4 good<fine'],
    ['is deleted', undefined, 'delete default/a@4 fine<fine'],
  ])('do not change for watchers until the key %s', async (_, next, line) => {
    const store = new ScriptedStore();
    const { cache } = await started(store);
    const watcher = record(cache, prefix, 1);
    store.write({ [a]: 'fine' });
    store.write({ [a]: 'bad' });
    expect([cache.get(a), cache.undecodable.has(a), cache.stats.bytes]).toEqual([undefined, true, 4]);
    store.write({ [a]: next });
    expect(watcher.lines).toEqual(['put default/a@2 fine<', line]);
    expect([cache.get(a)?.value, cache.undecodable.size, cache.stats.bytes]).toEqual([next, 0, next?.length ?? 0]);
    cache.stop();
  });
});
