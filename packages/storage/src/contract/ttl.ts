import assert from 'node:assert/strict';
import type { Store } from '../store.ts';
import { current, put, succeeded } from './expectations.ts';
import { Recording } from './recording.ts';
import { bytes, type ContractCases, type StoreUnderTest } from './store-under-test.ts';

/** Short, because stores in other processes need it in real time. */
const ttlSeconds = 1;

async function putFor(store: Store, key: string, seconds: number, expected = 0): Promise<number> {
  return succeeded(await store.put(key, bytes(`for ${seconds}`), { expected, ttlSeconds: seconds }));
}

/** How long after its time a key may be deleted at the latest. */
const slackSeconds = 60;

async function passTtl(opened: StoreUnderTest): Promise<void> {
  await opened.passTime?.(ttlSeconds);
  await opened.passTime?.(slackSeconds);
}

/** Waits until a key that is put now has expired. Then all keys that were due earlier have expired too. */
export async function aKeyExpires(opened: StoreUnderTest): Promise<void> {
  const { store } = opened;
  const recording = Recording.start(store, '/contract/witness', await store.currentRevision());
  await putFor(store, '/contract/witness', ttlSeconds);
  await passTtl(opened);
  await recording.until(() => recording.events.some(({ type }) => type === 'delete'));
  recording.watch.stop();
}

export const ttlCases: ContractCases = {
  'a key expires, which is a write with its own revision and event': async (opened) => {
    const { store } = opened;
    const created = await putFor(store, '/contract/a', ttlSeconds);
    assert.equal(await current(store, '/contract/a'), `"for 1"@${created} created ${created}`);
    const recording = Recording.start(store, '/contract/', created);
    await passTtl(opened);
    assert.deepEqual(await recording.lines(1), [`delete /contract/a@${created + 1}, was "for 1"@${created}`]);
    assert.equal(await current(store, '/contract/a'), 'absent');
    assert.equal(await store.count('/contract/'), 0);
    assert.equal((await store.get('/contract/a', { revision: created })).entry?.modRevision, created);
    assert.equal(await put(store, '/contract/a', 'again'), created + 2);
  },

  'a key does not expire before its time': async (opened) => {
    const { store } = opened;
    const revision = await putFor(store, '/contract/a', 3600);
    await aKeyExpires(opened);
    assert.equal((await store.get('/contract/a')).entry?.modRevision, revision);
  },

  'a later put without time to live makes the key permanent': async (opened) => {
    const { store } = opened;
    const created = await putFor(store, '/contract/a', ttlSeconds);
    const updated = await put(store, '/contract/a', 'stays', created);
    await aKeyExpires(opened);
    assert.equal(await current(store, '/contract/a'), `"stays"@${updated} created ${created}`);
  },

  'a later put with another time to live postpones the expiry': async (opened) => {
    const { store } = opened;
    const created = await putFor(store, '/contract/a', ttlSeconds);
    const updated = await putFor(store, '/contract/a', 3600, created);
    await aKeyExpires(opened);
    assert.equal(await current(store, '/contract/a'), `"for 3600"@${updated} created ${created}`);
  },

  'a key that was deleted and created again does not inherit the time to live': async (opened) => {
    const { store } = opened;
    const created = await putFor(store, '/contract/a', ttlSeconds);
    succeeded(await store.delete('/contract/a', { expected: created }));
    const again = await put(store, '/contract/a', 'new');
    await aKeyExpires(opened);
    assert.equal(await current(store, '/contract/a'), `"new"@${again} created ${again}`);
  },

  'many keys expire, each with its own revision': async (opened) => {
    const { store } = opened;
    const keys = Array.from({ length: 20 }, (_, index) => `/contract/many/${index}`);
    const before = await store.currentRevision();
    await Promise.all(keys.map((key) => putFor(store, key, ttlSeconds)));
    const recording = Recording.start(store, '/contract/many/', before + 20);
    await passTtl(opened);
    await recording.until(() => recording.events.length >= 20);
    assert.deepEqual(recording.events.map(({ key }) => key).sort(), [...keys].sort());
    assert.equal(await store.count('/contract/many/'), 0);
  },
};
