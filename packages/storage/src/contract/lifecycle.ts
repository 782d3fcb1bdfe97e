import assert from 'node:assert/strict';
import { StoreClosedError } from '../errors.ts';
import { succeeded } from './expectations.ts';
import { Recording } from './recording.ts';
import { bytes, type ContractCases } from './store-under-test.ts';

export const lifecycleCases: ContractCases = {
  'a closed store rejects all calls': async ({ store }) => {
    await store.close();
    const calls = {
      currentRevision: () => store.currentRevision(),
      compactedRevision: () => store.compactedRevision(),
      get: () => store.get('/contract/a'),
      list: () => store.list('/contract/'),
      count: () => store.count('/contract/'),
      put: () => store.put('/contract/a', bytes('a'), { expected: 0 }),
      delete: () => store.delete('/contract/a', { expected: 0 }),
      compact: () => store.compact(1),
    };
    for (const [name, call] of Object.entries(calls)) {
      await assert.rejects(call, StoreClosedError, name);
    }
    const recording = Recording.start(store, '/contract/', 1);
    await recording.until(() => recording.ends.length > 0);
    assert.ok(recording.ends[0]?.error instanceof StoreClosedError);
    assert.deepEqual(recording.faults, []);
  },

  'a store may be closed twice': async ({ store }) => {
    await Promise.all([store.close(), store.close()]);
    await store.close();
  },

  'close waits for writes in progress': async ({ store }) => {
    let settled = 0;
    const writes = Array.from({ length: 20 }, async (_, index) => {
      const result = await store.put(`/contract/${index}`, bytes('x'), { expected: 0 });
      settled++;
      return result;
    });
    await store.close();
    assert.equal(settled, 20);
    for (const write of writes) succeeded(await write);
  },
};
