import { afterEach, describe, expect, it } from 'vitest';
import { Recording } from '../contract/recording.ts';
import { CompactedError, StoreUnavailableError } from '../errors.ts';
import type { Store } from '../store.ts';
import { type EtcdStoreOptions, openEtcdStore } from './index.ts';
import { type EtcdServer, findProgram, startEtcd, startEtcdCluster, TcpProxy } from './testing/index.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(endpoints: readonly string[], options: Partial<EtcdStoreOptions> = {}): Promise<Store> {
  const store = await openEtcdStore({ endpoints, dialTimeoutMs: 10_000, ...options });
  cleanups.push(() => store.close());
  return store;
}

async function start(): Promise<EtcdServer> {
  const etcd = await startEtcd();
  cleanups.push(() => etcd.dispose());
  return etcd;
}

/** Opens two stores over one etcd. The second one has a watch and is connected through a proxy that can be cut. */
async function nearAndFar() {
  const etcd = await start();
  const proxy = await TcpProxy.to(etcd.endpoint);
  cleanups.push(() => proxy.cut());
  const near = await open([etcd.endpoint]);
  const far = await open([proxy.endpoint]);
  return { near, far, proxy, recording: Recording.start(far, '/faults/', await far.currentRevision()) };
}

/** Writes keys one after the other until it is stopped, whatever happens to etcd, and records the outcomes. */
class Writer {
  readonly acknowledged = new Map<string, number>();
  readonly unknown = new Set<string>();
  readonly failures: unknown[] = [];
  stopped = false;
  readonly done: Promise<void>;

  constructor(store: Store, name: string) {
    this.done = this.#run(store, name);
  }

  async #run(store: Store, name: string): Promise<void> {
    for (let count = 0; !this.stopped; count++) {
      const key = `/faults/${name}-${count}`;
      try {
        const result = await store.put(key, Buffer.from(key), { expected: 0 });
        if (result.ok) this.acknowledged.set(key, result.revision);
        else this.failures.push(result);
      } catch (error) {
        if (error instanceof StoreUnavailableError) this.unknown.add(key);
        else this.failures.push(error);
      }
    }
  }
}

/** Expects that the watch and the store agree with each other and with the outcomes reported to the writers. */
async function expectAgreement(store: Store, recording: Recording, writers: readonly Writer[]): Promise<void> {
  await recording.caughtUp(store);
  const { entries } = await store.list('/faults/');
  const stored = new Map(entries.map(({ key, modRevision }) => [key, modRevision]));
  const seen = recording.events.map(({ key, revision }) => [key, revision] as const);
  expect(recording.faults).toEqual([]);
  expect(recording.ends).toEqual([]);
  expect(seen).toEqual([...stored].sort(([, a], [, b]) => a - b));
  const acknowledged = writers.flatMap((writer) => [...writer.acknowledged]);
  expect(acknowledged.filter(([key, revision]) => stored.get(key) !== revision)).toEqual([]);
  const known = new Set([...acknowledged.map(([key]) => key), ...writers.flatMap(({ unknown }) => [...unknown])]);
  expect([...stored.keys()].filter((key) => !known.has(key))).toEqual([]);
  expect(writers.flatMap(({ failures }) => failures)).toEqual([]);
}

describe.skipIf(findProgram('etcd') === undefined)('when etcd', () => {
  it('is killed and restarted, watches receive every change once and acknowledged writes are stored', async () => {
    const etcd = await start();
    const store = await open([etcd.endpoint]);
    const recording = Recording.start(store, '/faults/', await store.currentRevision());
    const writers = Array.from({ length: 8 }, (_, index) => new Writer(store, `${index}`));
    for (let round = 1; round <= 3; round++) {
      const target = recording.events.length + 200;
      await recording.until(() => recording.events.length >= target);
      await etcd.kill();
      await etcd.start();
    }
    const target = recording.events.length + 200;
    await recording.until(() => recording.events.length >= target);
    for (const writer of writers) writer.stopped = true;
    await Promise.all(writers.map(({ done }) => done));
    await expectAgreement(store, recording, writers);
    // Checks that the test is meaningful: kills must have interrupted writes.
    expect(writers.flatMap(({ unknown }) => [...unknown]).length).toBeGreaterThan(0);
  });

  it('is unreachable while history is compacted, a watch ends with CompactedError', async () => {
    const { near, far, proxy, recording } = await nearAndFar();
    const first = await near.put('/faults/a', Buffer.from('1'), { expected: 0 });
    await recording.lines(1);
    await proxy.cut();
    await near.put('/faults/b', Buffer.from('2'), { expected: 0 });
    const { revision } = await near.put('/faults/c', Buffer.from('3'), { expected: 0 });
    await near.compact(revision);
    await proxy.mend();
    await recording.until(() => recording.ends.length > 0);
    expect(recording.ends).toEqual([{ error: new CompactedError(first.revision, revision) }]);
    expect(recording.events).toHaveLength(1);
    // The store itself still works.
    expect((await far.list('/faults/')).entries).toHaveLength(3);
  });

  it('is unreachable for a while, a watch receives the changes made meanwhile', async () => {
    const { near, far, proxy, recording } = await nearAndFar();
    const revisions: number[] = [];
    for (let round = 0; round < 5; round++) {
      for (const key of ['a', 'b']) {
        revisions.push((await near.put(`/faults/${key}${round}`, Buffer.from(key), { expected: 0 })).revision);
      }
      await (round % 2 === 0 ? proxy.cut() : proxy.mend());
      recording.watch.requestProgress();
    }
    await proxy.mend();
    await recording.caughtUp(far);
    expect(recording.events.map(({ revision }) => revision)).toEqual(revisions);
    expect(recording.faults).toEqual([]);
  });

  it('stops answering, operations time out', async () => {
    const etcd = await start();
    const store = await open([etcd.endpoint], { requestTimeoutMs: 300, dialTimeoutMs: 300 });
    await store.currentRevision();
    await etcd.pause();
    try {
      await expect(store.get('/a')).rejects.toThrow(StoreUnavailableError);
      await expect(store.put('/a', Buffer.from('a'), { expected: 0 })).rejects.toThrow(
        'the outcome of the write is unknown',
      );
    } finally {
      etcd.resume();
    }
    expect((await store.get('/b')).entry).toBeUndefined();
  });

  it('loses one of three members, operations continue with the others', async () => {
    const members = await startEtcdCluster(3);
    cleanups.push(() => Promise.all(members.map((member) => member.dispose())));
    // etcd lets a write wait for seven seconds when its leader is gone.
    const store = await open(
      members.map(({ endpoint }) => endpoint),
      { requestTimeoutMs: 1_000 },
    );
    const recording = Recording.start(store, '/faults/', await store.currentRevision());
    const writers = [new Writer(store, 'a'), new Writer(store, 'b')];
    for (const member of members) {
      const target = recording.events.length + 50;
      await recording.until(() => recording.events.length >= target);
      await member.kill();
      const without = recording.events.length + 50;
      await recording.until(() => recording.events.length >= without);
      await member.start();
      // The next member may only be stopped when this one is running again.
      const alone = await openEtcdStore({ endpoints: [member.endpoint], dialTimeoutMs: 10_000 });
      await alone.currentRevision();
      await alone.close();
    }
    for (const writer of writers) writer.stopped = true;
    await Promise.all(writers.map(({ done }) => done));
    await expectAgreement(store, recording, writers);
  });
});
