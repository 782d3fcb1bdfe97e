import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeStore, type StoreUnderTest } from '../contract/index.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { Store } from '../store.ts';
import { openEtcdStore, RequestTooLargeError } from './index.ts';
import { type EtcdServer, findProgram, startEtcd, TcpProxy } from './testing/index.ts';

const run = promisify(execFile);

async function removeAll(store: Store, prefix: string): Promise<void> {
  const { entries } = await store.list(prefix);
  await Promise.all(entries.map(({ key, modRevision }) => store.delete(key, { expected: modRevision })));
}

describe.skipIf(findProgram('etcd') === undefined)('over a real etcd', () => {
  let etcd: EtcdServer;
  let cleaner: Store;
  beforeAll(async () => {
    etcd = await startEtcd();
    cleaner = await openEtcdStore({ endpoints: [etcd.endpoint] });
  });
  afterAll(async () => {
    await cleaner?.close();
    await etcd?.dispose();
  });

  const open = async (): Promise<StoreUnderTest> => {
    const store = await openEtcdStore({ endpoints: [etcd.endpoint] });
    return {
      store,
      reopen: async () => {
        await store.close();
        return open();
      },
      dispose: async () => {
        await store.close();
        await removeAll(cleaner, '/contract/');
      },
    };
  };
  describeStore('etcd', { describe, it }, { inProcess: false, durable: true }, open);

  it('fails with a RequestTooLargeError for a value that is too large for etcd', async () => {
    for (const size of [1_600_000, 2_500_000]) {
      await expect(cleaner.put('/large', new Uint8Array(size), { expected: 0 })).rejects.toThrow(RequestTooLargeError);
    }
    const { ok } = await cleaner.put('/large', new Uint8Array(1_500_000), { expected: 0 });
    expect(ok).toBe(true);
  });

  it('delivers changes that are larger than a message', async () => {
    const before = await cleaner.currentRevision();
    let expected = 0;
    for (let round = 0; round < 8; round++) {
      expected = (await cleaner.put('/changes/large', new Uint8Array(1_400_000).fill(round), { expected })).revision;
    }
    const seen = await new Promise<string[]>((resolve) => {
      const rounds: string[] = [];
      const watch = cleaner.watch('/changes/', before, {
        onEvents: (events) => {
          for (const event of events) {
            if (event.type === 'put') rounds.push(`${event.entry.value.at(-1)} after ${event.previous?.value.at(-1)}`);
          }
          if (rounds.length < 8) return;
          watch.stop();
          resolve(rounds);
        },
      });
    });
    expect(seen).toEqual(
      Array.from({ length: 8 }, (_, round) => `${round} after ${round > 0 ? round - 1 : undefined}`),
    );
  });

  it('never reports progress before the events up to it are delivered', async () => {
    const before = await cleaner.currentRevision();
    const write = async (prefix: string) => {
      for (let round = 0; round < 100; round++) {
        await cleaner.put(`${prefix}${round}`, Buffer.alloc(2_000), { expected: 0 });
      }
    };
    await write('/progress/history');
    const writers = Promise.all(['/progress/a', '/elsewhere/a', '/elsewhere/b'].map(write));
    const late: string[] = [];
    let progress = 0;
    let events = 0;
    // Watches that start with history are behind at first, which is the difficult case.
    const watches = Array.from({ length: 10 }, () => {
      let promised = 0;
      const watch = cleaner.watch('/progress/', before, {
        onEvents: (changes) => {
          events += changes.length;
          for (const { revision } of changes) if (revision <= promised) late.push(`${revision} after ${promised}`);
        },
        onProgress: (revision) => {
          progress++;
          if (revision < promised) late.push(`progress ${revision} after ${promised}`);
          promised = revision;
          watch.requestProgress();
        },
      });
      watch.requestProgress();
      return { watch, reached: () => promised };
    });
    await writers;
    const last = await cleaner.currentRevision();
    while (watches.some(({ reached }) => reached() < last)) await cleaner.currentRevision();
    for (const { watch } of watches) watch.stop();
    expect(late).toEqual([]);
    expect(events).toBe(10 * 200);
    expect(progress).toBeGreaterThan(20);
  });

  it.skipIf(findProgram('etcdctl') === undefined)(
    'stores keys and values unchanged, so that etcdctl can read them',
    async () => {
      const key = '/registry/configmaps/default/ünï';
      const value = '{"kind":"ConfigMap","metadata":{"name":"ünï"}}';
      await cleaner.put(key, Buffer.from(value), { expected: 0 });
      const { stdout } = await run(findProgram('etcdctl') ?? 'etcdctl', ['--endpoints', etcd.endpoint, 'get', key], {
        env: { PATH: process.env.PATH, ETCDCTL_API: '3' },
      });
      expect(stdout).toBe(`${key}\n${value}\n`);
    },
  );
});

describe.skipIf(findProgram('etcd') === undefined || findProgram('openssl') === undefined)('over TLS', () => {
  let etcd: EtcdServer;
  beforeAll(async () => {
    etcd = await startEtcd({ tls: true });
  });
  afterAll(() => etcd?.dispose());

  it('reads, writes and watches with a client certificate', async () => {
    expect(etcd.endpoint).toMatch(/^https:/);
    const store = await openEtcdStore({ endpoints: [etcd.endpoint], tls: etcd.tls });
    const events = new Promise((resolve) => {
      store.watch('/tls/', 1, { onEvents: (got) => resolve(got.map(({ key }) => key)) });
    });
    const { revision } = await store.put('/tls/a', Buffer.from('x'), { expected: 0 });
    expect((await store.get('/tls/a')).entry?.modRevision).toBe(revision);
    expect(await events).toEqual(['/tls/a']);
    await store.close();
  });

  const refused = {
    'without a client certificate': () => ({ ca: etcd.tls.ca }),
    'to a server that is not trusted': () => ({ cert: etcd.tls.cert, key: etcd.tls.key }),
  };
  it.each(Object.entries(refused))('does not connect %s', async (_, tls) => {
    const store = await openEtcdStore({ endpoints: [etcd.endpoint], tls: tls(), dialTimeoutMs: 1_000 });
    const error = await store.currentRevision().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(String(error)).toContain(etcd.endpoint);
    expect(String(error)).not.toContain('BEGIN');
    await store.close();
  });

  it('refuses a server whose certificate is for another address or name', async () => {
    const elsewhere = await TcpProxy.to(etcd.endpoint, '127.0.0.2');
    for (const endpoint of [elsewhere.endpoint, etcd.endpoint.replace('127.0.0.1', 'localhost')]) {
      const store = await openEtcdStore({ endpoints: [endpoint], tls: etcd.tls, dialTimeoutMs: 1_000 });
      await expect(store.currentRevision()).rejects.toThrow("does not match certificate's altnames");
      await store.close();
    }
    await elsewhere.cut();
  });
});
