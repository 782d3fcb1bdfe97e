import { afterEach, describe, expect, it } from 'vitest';
import { CompactedError, StoreUnavailableError } from '../errors.ts';
import type { Store, StoreEvent } from '../store.ts';
import { openEtcdStore } from './index.ts';
import { deleteEvent, type WireEvent } from './messages.ts';
import { type Script, ScriptedEtcd } from './scripted-etcd.test-data.ts';

const unavailable = 14;
const all = Uint8Array.of(0);

const put = (revision: number, key = `/p/${revision}`): WireEvent => ({
  kv: { key, createRevision: revision, modRevision: revision, value: Buffer.from('v') },
});

/** Records what a watch delivers, in order: `@5` for an event, `..7` for progress, `end`. */
class Log {
  readonly lines: string[] = [];
  error: Error | undefined;
  #wake: (() => void)[] = [];

  readonly handler = {
    onEvents: (events: readonly StoreEvent[]) => this.#add(events.map(({ revision }) => `@${revision}`).join(' ')),
    onProgress: (revision: number) => this.#add(`..${revision}`),
    onEnd: (error: Error | undefined) => {
      this.error = error;
      this.#add('end');
    },
  };

  async until(count: number): Promise<readonly string[]> {
    while (this.lines.length < count) await new Promise<void>((resolve) => this.#wake.push(resolve));
    return this.lines;
  }

  #add(line: string): void {
    this.lines.push(line);
    for (const wake of this.#wake.splice(0)) wake();
  }
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function setUp(...scripts: Script[]): Promise<{ store: Store; etcds: ScriptedEtcd[] }> {
  const etcds = await Promise.all(scripts.map((script) => ScriptedEtcd.start(script)));
  const store = await openEtcdStore({
    endpoints: etcds.map(({ endpoint }) => endpoint),
    dialTimeoutMs: 10_000,
    requestTimeoutMs: 10_000,
    random: () => 0,
  });
  for (const etcd of etcds) cleanups.push(() => etcd.stop());
  cleanups.push(() => store.close());
  return { store, etcds };
}

async function watching(after: number, script: Script = {}) {
  const { store, etcds } = await setUp(script);
  const log = new Log();
  const watch = store.watch('/p/', after, log.handler);
  const etcd = etcds[0]!;
  const first = await etcd.watch(0);
  const { createRequest } = await first.request(0);
  first.send({ created: true });
  return { store, etcd, log, watch, first, createRequest };
}

describe('a watch', () => {
  it('requests its prefix from its position on, from a member that has a leader', async () => {
    const { createRequest, first } = await watching(5);
    expect(createRequest).toEqual({
      key: Buffer.from('/p/'),
      rangeEnd: Buffer.from('/p0'),
      startRevision: 5,
      progressNotify: true,
      prevKv: true,
      fragment: true,
    });
    expect(first.hasLeader).toBe('true');
  });

  it('drops events that it has received already', async () => {
    const { log, first } = await watching(5);
    first.send({ events: [put(5), put(6), put(7)] });
    first.send({ events: [put(7), put(8)] });
    expect(await log.until(2)).toEqual(['@6 @7', '@8']);
  });

  it('resumes at its position when the stream breaks', async () => {
    const { log, first, etcd } = await watching(5);
    first.send({ events: [put(6), put(7)] });
    await log.until(1);
    first.break(unavailable, 'etcdserver: no leader');
    const second = await etcd.watch(1);
    expect((await second.request(0)).createRequest?.startRevision).toBe(7);
    second.send({ created: true });
    second.send({ events: [put(7), put(9)] });
    expect(await log.until(2)).toEqual(['@6 @7', '@9']);
  });

  it('delivers a revision that arrives in fragments as a whole', async () => {
    const { log, first } = await watching(5);
    first.send({ fragment: true, events: [put(6), put(7, '/p/a')] });
    first.send({ fragment: true, events: [put(7, '/p/b')] });
    first.send({ fragment: true, events: [put(7, '/p/c'), put(8), put(9, '/p/a')] });
    first.send({ events: [put(9, '/p/b')] });
    expect(await log.until(3)).toEqual(['@6', '@7 @7 @7 @8', '@9 @9']);
  });

  it('receives a revision again when the stream broke after a fragment of it', async () => {
    const { log, first, etcd } = await watching(5);
    first.send({ fragment: true, events: [put(6), put(7, '/p/a')] });
    await log.until(1);
    first.break(unavailable, 'gone');
    const second = await etcd.watch(1);
    expect((await second.request(0)).createRequest?.startRevision).toBe(6);
    second.send({ created: true });
    second.send({ events: [put(6), put(7, '/p/a'), put(7, '/p/b')] });
    expect(await log.until(2)).toEqual(['@6', '@7 @7']);
  });

  it('repeats the progress request until the answer is new enough', async () => {
    const revision = 20;
    const { log, first, watch } = await watching(5, { range: () => ({ header: { revision } }) });
    watch.requestProgress();
    expect((await first.request(1)).progressRequest).toEqual({});
    // First an answer that is too old, then none at all: etcd does not answer while a watch is behind.
    first.send({ header: { revision: 12 } });
    expect((await first.request(2)).progressRequest).toEqual({});
    expect((await first.request(3)).progressRequest).toEqual({});
    first.send({ events: [put(15)] });
    first.send({ header: { revision: 21 } });
    expect(await log.until(2)).toEqual(['@15', '..21']);
  });

  it('does not request progress up to its own position', async () => {
    const { log, first, watch } = await watching(5, { range: () => ({ header: { revision: 6 } }) });
    first.send({ events: [put(7)] });
    await log.until(1);
    watch.requestProgress();
    expect(await log.until(2)).toEqual(['@7', '..7']);
    expect(first.requests).toHaveLength(1);
  });

  it('resumes from the last progress revision', async () => {
    const { log, first, etcd, watch } = await watching(5, { range: () => ({ header: { revision: 20 } }) });
    watch.requestProgress();
    await first.request(1);
    first.send({ header: { revision: 20 } });
    expect(await log.until(1)).toEqual(['..20']);
    first.break(unavailable, 'gone');
    expect((await (await etcd.watch(1)).request(0)).createRequest?.startRevision).toBe(20);
  });

  it('ends with CompactedError when it cannot be resumed', async () => {
    const { log, first, etcd } = await watching(5);
    first.send({ events: [put(6)] });
    await log.until(1);
    first.break(unavailable, 'gone');
    const second = await etcd.watch(1);
    second.send({ created: true });
    second.send({ canceled: true, compactRevision: 30 });
    expect(await log.until(2)).toEqual(['@6', 'end']);
    expect(log.error).toEqual(new CompactedError(6, 30));
  });

  it('ends with the reason when etcd refuses it', async () => {
    const { log, first, etcd } = await watching(5);
    first.send({ created: true, canceled: true, cancelReason: 'etcdserver: permission denied' });
    expect(await log.until(1)).toEqual(['end']);
    expect(log.error).toBeInstanceOf(StoreUnavailableError);
    expect(log.error?.message).toBe(`etcd at ${etcd.endpoint}: the watch was cancelled: etcdserver: permission denied`);
  });

  it('tries another member when one breaks it', async () => {
    const { store, etcds } = await setUp({}, {});
    const log = new Log();
    store.watch('/p/', 5, log.handler);
    const [broken, other] = await Promise.race(
      etcds.map(async (etcd) => [await etcd.watch(0), etcds.find((each) => each !== etcd)!] as const),
    );
    broken.break(unavailable, 'etcdserver: no leader');
    const second = await other.watch(0);
    second.send({ created: true });
    second.send({ events: [put(6)] });
    expect(await log.until(1)).toEqual(['@6']);
  });
});

describe('a watch of an etcd without reliable progress', () => {
  const old: Script = { version: '3.4.23', range: () => ({ header: { revision: 9 } }) };

  it('watches all keys, never requests progress and derives it from the events of all keys', async () => {
    const { log, first, watch, createRequest } = await watching(5, old);
    expect([createRequest?.key, createRequest?.rangeEnd]).toEqual([Buffer.from(all), Buffer.from(all)]);
    watch.requestProgress();
    first.send({ events: [put(6), put(7, '/other'), put(8, '/p')] });
    first.send({ events: [{ type: deleteEvent, kv: { key: '/other', modRevision: 9 } }] });
    expect(await log.until(2)).toEqual(['@6', '..9']);
    expect(first.requests).toHaveLength(1);
  });

  it('shares the stream with watches that are not further back', async () => {
    const { log, first, store, etcd } = await watching(5, old);
    first.send({ events: [put(6), put(7, '/other/7')] });
    await log.until(1);
    const [later, earlier] = [new Log(), new Log()];
    store.watch('/other/', 7, later.handler).requestProgress();
    store.watch('/other/', 5, earlier.handler).requestProgress();
    // A watch that is behind gets its own stream until it has caught up.
    const second = await etcd.watch(1);
    expect((await second.request(0)).createRequest?.startRevision).toBe(5);
    second.send({ created: true });
    second.send({ events: [put(6), put(7, '/other/7')] });
    expect(await earlier.until(1)).toEqual(['@7']);
    first.send({ events: [put(8, '/other/8'), put(9, '/third')] });
    expect(await earlier.until(3)).toEqual(['@7', '@8', '..9']);
    expect(await later.until(2)).toEqual(['@8', '..9']);
    expect(etcd.watches).toHaveLength(2);
  });

  it('ends only the watches that need compacted history', async () => {
    const { log, first, store, etcd } = await watching(5, old);
    const ahead = new Log();
    store.watch('/p/', 40, ahead.handler);
    // Both are on the stream now: the second joins when it knows the version.
    await store.currentRevision();
    await store.currentRevision();
    first.send({ canceled: true, compactRevision: 30 });
    await log.until(1);
    expect(log.error).toEqual(new CompactedError(5, 30));
    const second = await etcd.watch(1);
    expect((await second.request(0)).createRequest?.startRevision).toBe(40);
    second.send({ created: true });
    second.send({ events: [put(41)] });
    expect(await ahead.until(1)).toEqual(['@41']);
  });
});
