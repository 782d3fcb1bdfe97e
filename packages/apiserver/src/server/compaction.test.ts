import { FakeClock } from '@coxswain/apimachinery/clock';
import { recordLogs } from '@coxswain/apimachinery/log';
import { CompactedError, openMemoryStore, type Store } from '@coxswain/storage';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Compaction, startCompaction } from './compaction.ts';

let store: Store;

beforeEach(() => {
  store = openMemoryStore();
});
afterEach(() => store.close());

const write = async (): Promise<number> => {
  const { entry } = await store.get('/registry/a');
  const { revision } = await store.put('/registry/a', new Uint8Array(1), { expected: entry?.modRevision ?? 0 });
  return revision;
};

const saved = async (): Promise<string> =>
  new TextDecoder().decode((await store.get('compact_rev_key')).entry?.value ?? new Uint8Array(0));

describe('compaction', () => {
  it('compacts nothing in the first round, and to the revision of the first round in the second', async () => {
    const compaction = new Compaction(store);
    const old = await write();
    expect(await compaction.run()).toBeUndefined();
    const kept = await store.currentRevision();
    await write();
    expect(await compaction.run()).toBe(kept);
    expect(await saved()).toBe(String(kept));
    await expect(store.get('/registry/a', { revision: old })).rejects.toThrow(CompactedError);
    expect(await store.compactedRevision()).toBe(kept);
  });

  it('is done by one of several servers, and by another one when that stops', async () => {
    const [a, b] = [new Compaction(store), new Compaction(store)];
    await a.run();
    expect(await b.run()).toBeUndefined();
    await write();
    expect(await a.run()).toBeDefined();
    // It notices that the other server was faster, and tries again in the next round.
    expect(await b.run()).toBeUndefined();
    await write();
    expect(await b.run()).toBeDefined();
    expect(await a.run()).toBeUndefined();
  });

  it('continues with the key written by an earlier process', async () => {
    await new Compaction(store).run();
    const next = new Compaction(store);
    expect(await next.run()).toBeUndefined();
    expect(await next.run()).toBeDefined();
  });
});

describe('periodic compaction', () => {
  let clock: FakeClock;
  beforeEach(() => {
    clock = new FakeClock();
  });

  const unreachable = recordLogs({ onLine: (line) => expect.unreachable(line) }).logger;
  const rounds = (): number => vi.mocked(store.put).mock.calls.length;

  it('runs once in every interval until the signal is aborted', async () => {
    vi.spyOn(store, 'put');
    const stop = new AbortController();
    startCompaction(store, { intervalMs: 300_000, clock, signal: stop.signal, logger: unreachable });
    await clock.advance(299_999);
    expect(rounds()).toBe(0);
    await clock.advance(1);
    expect(rounds()).toBe(1);
    await clock.advance(300_000);
    expect(rounds()).toBe(2);
    stop.abort();
    expect(clock.pending).toBe(0);
  });

  it('logs errors, and tries again', async () => {
    const { logger, lines } = recordLogs();
    const failure = new Error('no room');
    vi.spyOn(store, 'put').mockRejectedValueOnce(failure);
    const stop = new AbortController();
    startCompaction(store, { intervalMs: 1000, clock, signal: stop.signal, logger });
    await clock.advance(2000);
    expect(lines).toEqual(['error "Compaction failed" err="no room"']);
    expect(rounds()).toBe(2);
    stop.abort();
  });

  it('is off with an interval of 0', () => {
    startCompaction(store, { intervalMs: 0, clock, signal: new AbortController().signal, logger: unreachable });
    expect(clock.pending).toBe(0);
  });
});
