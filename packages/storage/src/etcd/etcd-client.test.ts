import { afterEach, describe, expect, it } from 'vitest';
import { StoreFullError, StoreUnavailableError } from '../errors.ts';
import type { Store } from '../store.ts';
import { openEtcdStore, RequestTooLargeError } from './index.ts';
import { progressIsReliable } from './progress-support.ts';
import { Refusal, type Script, ScriptedEtcd } from './scripted-etcd.test-data.ts';

const codes = { invalidArgument: 3, notFound: 5, permissionDenied: 7, resourceExhausted: 8, unavailable: 14 };
const value = Buffer.from('v');

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(...scripts: Script[]): Promise<{ store: Store; endpoints: string[] }> {
  return openWithin(10_000, ...scripts);
}

async function openWithin(dialTimeoutMs: number, ...scripts: Script[]): Promise<{ store: Store; endpoints: string[] }> {
  const etcds = await Promise.all(scripts.map((script) => ScriptedEtcd.start(script)));
  for (const etcd of etcds) cleanups.push(() => etcd.stop());
  const endpoints = etcds.map(({ endpoint }) => endpoint);
  const store = await openEtcdStore({ endpoints, dialTimeoutMs, random: () => 0 });
  cleanups.push(() => store.close());
  return { store, endpoints };
}

/** Returns an answer function that fails the first `times` calls, and counts the calls. */
function failing(times: number, code: number, details: string) {
  const counted = {
    calls: 0,
    answer: () => {
      counted.calls++;
      if (counted.calls <= times) throw new Refusal(code, details);
      return { header: { revision: 7 }, succeeded: true };
    },
  };
  return counted;
}

describe('a read', () => {
  it('is retried after a temporary failure', async () => {
    const range = failing(3, codes.unavailable, 'etcdserver: leader changed');
    const { store } = await open({ range: range.answer });
    expect(await store.currentRevision()).toBe(7);
    expect(range.calls).toBe(4);
  });

  it('is sent to another member when one has no leader', async () => {
    const cutOff = { range: failing(Number.POSITIVE_INFINITY, codes.unavailable, 'etcdserver: no leader').answer };
    const good = failing(0, 0, '');
    const { store } = await open(cutOff, cutOff, { range: good.answer });
    expect(await store.currentRevision()).toBe(7);
    expect(await store.currentRevision()).toBe(7);
    expect(good.calls).toBe(2);
  });

  it('fails with etcd’s error after the timeout', async () => {
    const range = failing(Number.POSITIVE_INFINITY, codes.unavailable, 'etcdserver: request timed out');
    const { store, endpoints } = await openWithin(1_000, { range: range.answer });
    await expect(store.get('/a')).rejects.toThrow(
      new StoreUnavailableError(`etcd at ${endpoints[0]}: etcdserver: request timed out`),
    );
    expect(range.calls).toBeGreaterThan(1);
    // Retries have delays that double from 25 ms on, so there are fewer than 9 in a second.
    expect(range.calls).toBeLessThan(9);
  });

  it('is not retried when it was refused', async () => {
    const range = failing(Number.POSITIVE_INFINITY, codes.permissionDenied, 'etcdserver: permission denied');
    const { store } = await open({ range: range.answer });
    await expect(store.list('/a')).rejects.toThrow('etcdserver: permission denied');
    expect(range.calls).toBe(1);
  });
});

describe('a long list', () => {
  const total = 12_000;
  const name = (index: number) => `/l/${String(index).padStart(6, '0')}`;

  /** Returns the requested number of keys from the requested key on, and records the requests. */
  function keys(compactedAfter = Number.POSITIVE_INFINITY) {
    const asked: string[] = [];
    const range: Script['range'] = ({ key = new Uint8Array(), limit = 0, revision }) => {
      const text = Buffer.from(key).toString();
      const first = text === '/l/' ? 0 : Number(text.slice(3).replace('\0', '')) + (text.endsWith('\0') ? 1 : 0);
      asked.push(`${first}+${limit}@${revision ?? 'now'}`);
      if (asked.length > compactedAfter && revision !== undefined) {
        throw new Refusal(11, 'etcdserver: mvcc: required revision has been compacted');
      }
      const count = Math.min(limit, total - first);
      const kvs = Array.from({ length: count }, (_, index) => ({ key: name(first + index), modRevision: 5 }));
      return { header: { revision: 40 + asked.length }, kvs, count: total - first };
    };
    return { asked, range };
  }

  it('is read in pages of one revision', async () => {
    const { asked, range } = keys();
    const { store } = await open({ range });
    const { entries, revision, remaining } = await store.list('/l/');
    expect([entries.length, entries.at(-1)?.key, revision, remaining]).toEqual([total, name(total - 1), 41, 0]);
    expect(asked).toEqual(['0+5000@now', '5000+5000@41', '10000+5000@41']);
  });

  it('is read up to its limit', async () => {
    const { asked, range } = keys();
    const { store } = await open({ range });
    const { entries, remaining } = await store.list('/l/', { limit: 6_000, from: name(100), revision: 30 });
    expect([entries[0]?.key, entries.length, remaining]).toEqual([name(100), 6_000, total - 6_100]);
    expect(asked).toEqual(['100+5000@30', '5100+1000@30']);
  });

  it('is read in one request when its revision is compacted in between', async () => {
    const { asked, range } = keys(1);
    const script: Script = { range, compactRevision: 41 };
    const { store } = await open(script);
    const { entries } = await store.list('/l/');
    expect(entries).toHaveLength(total);
    expect(asked.at(-1)).toBe(`0+${Number.MAX_SAFE_INTEGER}@now`);
  });
});

describe('a write', () => {
  it('is sent once, and its outcome is reported as unknown, when the answer is lost', async () => {
    const txn = failing(1, codes.unavailable, 'etcdserver: request timed out');
    const { store, endpoints } = await open({ txn: txn.answer });
    for (const write of [() => store.put('/a', value, { expected: 0 }), () => store.delete('/a', { expected: 5 })]) {
      txn.calls = 0;
      const error = await write().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error).toMatchObject({
        message: `etcd at ${endpoints[0]}: the outcome of the write is unknown: etcdserver: request timed out`,
        cause: expect.any(Error),
      });
      expect(txn.calls).toBe(1);
    }
  });

  it('is sent to another member when one refused it because it has no leader', async () => {
    const cutOff = { txn: failing(Number.POSITIVE_INFINITY, codes.unavailable, 'etcdserver: no leader').answer };
    const { store } = await open(cutOff, { txn: failing(0, 0, '').answer });
    expect(await store.put('/a', value, { expected: 0 })).toEqual({ ok: true, revision: 7 });
  });

  it.each([
    [codes.invalidArgument, 'etcdserver: request is too large'],
    [codes.resourceExhausted, 'grpc: received message larger than max (2500033 vs. 2097152)'],
  ])('that is too large fails with a RequestTooLargeError (code %i)', async (code, details) => {
    const { store } = await open({ txn: failing(1, code, details).answer });
    const error = await store.put('/a', value, { expected: 0 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RequestTooLargeError);
    expect(error).toMatchObject({ message: 'etcdserver: request is too large' });
  });

  it('fails with a StoreFullError with etcd’s message when etcd is full', async () => {
    const txn = failing(1, codes.resourceExhausted, 'etcdserver: mvcc: database space exceeded');
    const { store } = await open({ txn: txn.answer });
    const error = await store.put('/a', value, { expected: 0 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreFullError);
    expect(error).toMatchObject({ message: 'etcdserver: mvcc: database space exceeded' });
  });

  it('gets a new lease when etcd does not know the shared one', async () => {
    const txn = failing(1, codes.notFound, 'etcdserver: requested lease not found');
    const leases: bigint[] = [];
    let granted = 0n;
    const { store } = await open({
      leaseGrant: () => ({ id: ++granted }),
      txn: (request) => {
        leases.push(request.success?.[0]?.requestPut?.lease ?? 0n);
        return txn.answer();
      },
    });
    await store.put('/a', value, { expected: 0, ttlSeconds: 3600 });
    await store.put('/b', value, { expected: 0, ttlSeconds: 3600 });
    expect(leases).toEqual([1n, 2n, 2n]);
  });
});

describe('without connection', () => {
  it('every operation fails with an error that names the endpoints', async () => {
    const etcd = await ScriptedEtcd.start({});
    etcd.stop();
    const store = await openEtcdStore({ endpoints: [etcd.endpoint], dialTimeoutMs: 1_000 });
    cleanups.push(() => store.close());
    for (const operation of [() => store.currentRevision(), () => store.put('/a', value, { expected: 0 })]) {
      const error = await operation().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(String(error)).toContain(`no connection to etcd (${etcd.endpoint}: `);
      expect(String(error)).toContain('ECONNREFUSED');
      expect(String(error)).not.toContain('unknown');
    }
  });
});

describe('options', () => {
  const wrong = {
    'no endpoint': [{ endpoints: [] }, 'etcd needs at least one endpoint'],
    'an endpoint without scheme': [{ endpoints: ['127.0.0.1:2379'] }, 'must look like http://host:port'],
    'an endpoint of another scheme': [{ endpoints: ['unix:///etcd'] }, 'must look like http://host:port'],
    'an endpoint with a password': [{ endpoints: ['http://me:secret@host:1'] }, 'must not hold a user or a password'],
    'a certificate without key': [
      { endpoints: ['https://h:1'], tls: { cert: { pem: 'x' } } },
      'a client certificate for etcd and its key must be given together',
    ],
    'a file that is not there': [
      { endpoints: ['https://h:1'], tls: { ca: { file: '/nowhere/ca.crt' } } },
      'cannot read the CA for etcd: /nowhere/ca.crt',
    ],
  } as const;
  it.each(Object.entries(wrong))('refuses %s', async (_, [options, message]) => {
    await expect(openEtcdStore(options)).rejects.toThrow(message);
    await expect(openEtcdStore(options)).rejects.not.toThrow('secret');
  });
});

describe('progress', () => {
  const versions = {
    '3.4.23': false,
    '3.4.30': false,
    '3.4.31': true,
    '3.5.0': false,
    '3.5.12': false,
    '3.5.13': true,
    '3.5.21': true,
    '3.6.0': true,
    '3.6.0-rc.2': true,
    '3.3.27': false,
    '3.10.0': true,
    '4.0.0': true,
    '': false,
    unknown: false,
  };
  it.each(Object.entries(versions))('of etcd %s is reliable: %s', (version, expected) => {
    expect(progressIsReliable(version)).toBe(expected);
  });
});
