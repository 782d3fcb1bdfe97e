import { FakeClock } from '@coxswain/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { describeStore } from '../contract/index.ts';
import { openMemoryStore } from '../open-store.ts';
import { snapshotOf } from './memory-log.ts';

describeStore('memory', { describe, it }, { inProcess: true, durable: false }, async () => {
  const clock = new FakeClock();
  const store = openMemoryStore({ clock });
  return { store, passTime: (seconds) => clock.advance(seconds * 1000), dispose: () => store.close() };
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a snapshot', () => {
  it('is the initial state of any number of stores, which then change independently', async () => {
    const first = openMemoryStore();
    const one = await first.put('/a', bytes('1'), { expected: 0 });
    await first.put('/a', bytes('2'), { expected: one.revision });
    const gone = await first.put('/b', bytes('3'), { expected: 0 });
    const last = await first.delete('/b', { expected: gone.revision });
    const snapshot = first.snapshot();
    await first.put('/c', bytes('later'), { expected: 0 });
    const [second, third] = [openMemoryStore({ snapshot }), openMemoryStore({ snapshot })];
    await third.put('/d', bytes('4'), { expected: 0 });
    expect((await second.list('/')).entries).toMatchObject([{ key: '/a', value: bytes('2') }]);
    expect((await second.get('/a', { revision: one.revision })).entry?.value).toEqual(bytes('1'));
    expect(await second.put('/e', bytes('5'), { expected: 0 })).toEqual({ ok: true, revision: last.revision + 1 });
    for (const store of [first, second, third]) await store.close();
  });

  it('can be made from values, and equals that of a store in which they were put', async () => {
    const put = openMemoryStore();
    for (const key of ['/a', '/b']) await put.put(key, bytes(key), { expected: 0 });
    const snapshot = snapshotOf([
      ['/a', bytes('/a')],
      ['/b', bytes('/b')],
    ]);
    expect(snapshot).toEqual(put.snapshot());
    await put.close();
  });
});
