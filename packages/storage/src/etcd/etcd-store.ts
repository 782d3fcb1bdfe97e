import { setTimeout as delay } from 'node:timers/promises';
import { CompactedError, FutureRevisionError, StoreClosedError } from '../errors.ts';
import type {
  DeleteOptions,
  GetResult,
  KeyValue,
  ListOptions,
  ListResult,
  PutOptions,
  ReadOptions,
  Store,
  Watch,
  WatchHandler,
  WriteResult,
} from '../store.ts';
import { firstRevision, readCompactedRevision } from './compacted-revision.ts';
import { toKeyValue } from './conversion.ts';
import { EtcdCallError, type EtcdClient } from './etcd-client.ts';
import { EtcdWatch } from './etcd-watch.ts';
import { prefixRange, rangeFrom } from './key-range.ts';
import { LeaseManager } from './lease-manager.ts';
import { compareModRevision, methods, type RangeRequest, type RangeResponse, type RequestOp } from './messages.ts';
import { SharedWatch } from './shared-watch.ts';

/** Long lists are read in pages of this size, so that a single one blocks neither etcd nor this process. */
const pageSize = 5_000;

/** The longest wait of a compaction for watches of this store that are behind. */
const compactionGraceMs = 2_000;

/** A store over an etcd cluster. etcd keeps all state; this class has connections and watches. */
export class EtcdStore implements Store {
  readonly driver = 'etcd';
  readonly #client: EtcdClient;
  readonly #leases: LeaseManager;
  readonly #shared: SharedWatch;
  readonly #watches = new Set<EtcdWatch>();
  readonly #underWay = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(client: EtcdClient, now: () => number) {
    this.#client = client;
    this.#leases = new LeaseManager((ttl) => this.#grantLease(ttl), now);
    this.#shared = new SharedWatch(client);
  }

  /** etcd does not report its free space, so this only checks that it answers. */
  async checkWritable(): Promise<void> {
    await this.currentRevision();
  }

  currentRevision(): Promise<number> {
    return this.#operation(() => this.#currentRevision());
  }

  /**
   * etcd has no request for its compacted revision. A read of the first revision shows whether there was a compaction,
   * and etcd ends a watch from the first revision with the compacted one. The result is that of the member asked, after
   * it has caught up with the cluster.
   */
  compactedRevision(): Promise<number> {
    return this.#operation(() => readCompactedRevision(this.#client));
  }

  get(key: string, { revision }: ReadOptions = {}): Promise<GetResult> {
    return this.#operation(async () => {
      const response = await this.#range({ key: Buffer.from(key) }, revision);
      const [kv] = response.kvs ?? [];
      return { entry: kv && toKeyValue(kv, false), revision: revisionOf(response) };
    });
  }

  list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    return this.#operation(() => this.#list(prefix, options));
  }

  count(prefix: string): Promise<number> {
    return this.#operation(async () => {
      const { count = 0 } = await this.#range({ ...prefixRange(prefix), countOnly: true }, undefined);
      return count;
    });
  }

  put(key: string, value: Uint8Array, { expected, ttlSeconds }: PutOptions): Promise<WriteResult> {
    return this.#operation(async () => {
      const name = Buffer.from(key);
      if (ttlSeconds === undefined) return this.#write(key, expected, { requestPut: { key: name, value } });
      const lease = await this.#leases.lease(ttlSeconds);
      try {
        return await this.#write(key, expected, { requestPut: { key: name, value, lease } });
      } catch (error) {
        if (!(error instanceof EtcdCallError && error.failure === 'lease-not-found')) throw error;
      }
      // Nothing was written. A lease can be gone when clocks differ, or when etcd was restored from a backup.
      await this.#leases.forget(ttlSeconds, lease);
      const fresh = await this.#leases.lease(ttlSeconds);
      return this.#write(key, expected, { requestPut: { key: name, value, lease: fresh } });
    });
  }

  delete(key: string, { expected }: DeleteOptions): Promise<WriteResult> {
    return this.#operation(async () => {
      const name = Buffer.from(key);
      if (expected !== 0) return this.#write(key, expected, { requestDeleteRange: { key: name } });
      // A missing key would meet the condition, but there is nothing to delete.
      const response = await this.#range({ key: name }, undefined);
      return { ok: false, current: firstOf(response), revision: revisionOf(response) };
    });
  }

  watch(prefix: string, after: number, handler: WatchHandler): Watch {
    if (this.#closed) {
      queueMicrotask(() => handler.onEnd?.(new StoreClosedError()));
      return { requestProgress: () => {}, stop: () => {} };
    }
    const watch = new EtcdWatch({
      client: this.#client,
      shared: this.#shared,
      prefix,
      after,
      handler,
      currentRevision: () => this.currentRevision(),
      onEnded: (ended) => this.#watches.delete(ended),
    });
    this.#watches.add(watch);
    return watch;
  }

  /**
   * Waits shortly until watches of this store have passed the revision: those that just started, and those without
   * events for a long time, which could not be resumed from a revision before it.
   */
  compact(revision: number): Promise<void> {
    return this.#operation(async () => {
      const currentRevision = await this.#currentRevision();
      if (revision > currentRevision) throw new FutureRevisionError(revision, currentRevision);
      const caughtUp = new AbortController();
      await Promise.race([
        Promise.all([...this.#watches].map((watch) => watch.reach(revision))),
        delay(compactionGraceMs, undefined, { signal: caughtUp.signal }).catch(() => {}),
      ]);
      caughtUp.abort();
      try {
        await this.#client.call(methods.compact, { revision }, { repeatable: true });
      } catch (error) {
        if (!(error instanceof EtcdCallError && error.failure === 'compacted')) throw error;
      }
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    for (const watch of [...this.#watches]) watch.stop();
    await Promise.allSettled(this.#underWay);
    this.#client.close();
  }

  /** Runs an operation that `close` waits for. Rejects when the store is closed. */
  #operation<T>(run: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreClosedError());
    const operation = run();
    this.#underWay.add(operation);
    const done = () => {
      this.#underWay.delete(operation);
    };
    operation.then(done, done);
    return operation;
  }

  async #currentRevision(): Promise<number> {
    const key = Buffer.from(this.#client.config.revisionKey);
    return revisionOf(await this.#range({ key, countOnly: true }, undefined));
  }

  async #list(prefix: string, options: ListOptions): Promise<ListResult> {
    try {
      return await this.#pages(prefix, options, pageSize);
    } catch (error) {
      if (!(error instanceof CompactedError) || options.revision !== undefined) throw error;
      // The revision of the first page was compacted before the last page was read. A single request avoids that.
      return this.#pages(prefix, options, Number.MAX_SAFE_INTEGER);
    }
  }

  async #pages(prefix: string, { revision, limit, from }: ListOptions, size: number): Promise<ListResult> {
    const whole = prefixRange(prefix);
    const range = from === undefined ? whole : rangeFrom(whole, from);
    const wanted = limit ?? Number.MAX_SAFE_INTEGER;
    if (range === undefined || wanted <= 0) {
      const response = await this.#range({ ...(range ?? whole), countOnly: true }, revision);
      const remaining = range === undefined ? 0 : (response.count ?? 0);
      return { entries: [], revision: revisionOf(response), remaining };
    }
    const entries: KeyValue[] = [];
    let { key } = range;
    let at = revision;
    let storeRevision: number | undefined;
    for (;;) {
      const page = { key, rangeEnd: range.rangeEnd, limit: Math.min(size, wanted - entries.length) };
      const response = await this.#range(page, at);
      const { kvs = [], count = 0 } = response;
      for (const kv of kvs) entries.push(toKeyValue(kv, true));
      storeRevision ??= revisionOf(response);
      // The following pages are read at the same revision.
      at ??= storeRevision;
      const remaining = count - kvs.length;
      const last = entries.at(-1);
      if (remaining <= 0 || last === undefined || entries.length >= wanted) {
        return { entries, revision: storeRevision, remaining: Math.max(0, remaining) };
      }
      key = Buffer.from(`${last.key}\0`);
    }
  }

  async #range(request: RangeRequest, revision: number | undefined): Promise<RangeResponse> {
    // For etcd, revision 0 means the current one.
    if (revision !== undefined && revision < firstRevision) throw await this.#compacted(revision);
    try {
      return await this.#client.call(methods.range, { ...request, revision }, { repeatable: true });
    } catch (error) {
      if (!(error instanceof EtcdCallError) || revision === undefined) throw error;
      if (error.failure === 'future') throw new FutureRevisionError(revision, await this.#currentRevision());
      if (error.failure !== 'compacted') throw error;
      throw await this.#compacted(revision);
    }
  }

  async #compacted(revision: number): Promise<CompactedError> {
    return new CompactedError(revision, await readCompactedRevision(this.#client));
  }

  async #grantLease(ttl: number): Promise<bigint> {
    // If the first answer is lost, a second lease is granted. The first one has no keys and expires.
    const { id } = await this.#client.call(methods.leaseGrant, { ttl }, { repeatable: true });
    if (id === undefined) throw this.#client.unavailable('it granted a lease without id');
    return id;
  }

  /** Every write is one transaction: if the key's modRevision is `expected`, do the operation, else read the key. */
  async #write(key: string, expected: number, success: RequestOp): Promise<WriteResult> {
    const name = Buffer.from(key);
    const response = await this.#client.call(
      methods.txn,
      {
        compare: [{ target: compareModRevision, key: name, modRevision: expected }],
        success: [success],
        failure: [{ requestRange: { key: name } }],
      },
      { repeatable: false },
    );
    const revision = response.header?.revision ?? 0;
    if (response.succeeded) return { ok: true, revision };
    const [answer] = response.responses ?? [];
    return { ok: false, current: firstOf(answer?.responseRange ?? {}), revision };
  }
}

function revisionOf(response: RangeResponse): number {
  return response.header?.revision ?? 0;
}

function firstOf({ kvs: [kv] = [] }: RangeResponse): KeyValue | undefined {
  return kv && toKeyValue(kv, false);
}
