import { LruCache } from '@coxswain/apimachinery/cache';
import type { Clock } from '@coxswain/client';
import { type Epoch, type Handler, type Plugin, type Query, type Reply, whenReplied } from '../../chain/index.ts';
import type { DnsMetrics } from '../../metrics/index.ts';
import { dnssecOk, Flag, isInZone, opcodeOf, Rcode } from '../../wire/index.ts';
import type { Setup } from '../setup/index.ts';
import { type CacheEntry, kindOf, lowestTtl, type ReplyKind, withTtl } from './cache-entry.ts';
import { type CacheOptions, cacheOptions, type StaleOptions } from './cache-options.ts';

const name = 'cache';

/** The plug-in `cache`: keeps answers for their TTL, renews those that are often asked for, and serves old ones while nobody answers. */
export const setupCache: Setup = (directives, { block, clock, metrics }) => {
  const cache = new AnswerCache(cacheOptions(directives, block), clock, metrics);
  const plugin: Plugin = { name, handler: (next) => (query) => cache.answer(query, next) };
  return plugin;
};

class AnswerCache {
  readonly #options: CacheOptions;
  readonly #clock: Clock;
  readonly #metrics: DnsMetrics;
  readonly #zones: string;
  readonly #success: LruCache<string, CacheEntry>;
  readonly #denial: LruCache<string, CacheEntry>;
  /** Never changes: entries are valid until they expire. */
  readonly #epoch: Epoch = { value: 0 };

  constructor(options: CacheOptions, clock: Clock, metrics: DnsMetrics) {
    this.#options = options;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#zones = options.zones.join(',');
    this.#success = new LruCache(options.success.capacity);
    this.#denial = new LruCache(options.denial.capacity);
  }

  answer(query: Query, next: Handler): Reply | Promise<Reply> {
    if (opcodeOf(query.flags) !== 0 || !this.#options.zones.some((zone) => isInZone(query.name, zone)))
      return next(query);
    const key = keyOf(query);
    const now = this.#clock.now();
    const entry = this.#find(key, now);
    this.#metrics.cacheRequests.with(query.server, this.#zones, '').inc();
    if (!entry) {
      this.#metrics.cacheMisses.with(query.server, this.#zones, '').inc();
      return this.#ask(key, query, next);
    }
    this.#hit(query.server, entry);
    if (now < entry.storedMs + entry.ttl * 1000) return this.#fresh(key, entry, query, next);
    const { stale } = this.#options;
    return stale ? this.#stale(key, entry, stale, query, next) : this.#ask(key, query, next);
  }

  /** Denials come first, as in CoreDNS: a name that is gone is gone. But a failure does not hide an answer that is still good. */
  #find(key: string, now: number): CacheEntry | undefined {
    const usable = (entry: CacheEntry | undefined): CacheEntry | undefined => {
      const until = entry && entry.storedMs + entry.ttl * 1000 + (this.#options.stale?.forMs ?? 0);
      return until !== undefined && now < until ? entry : undefined;
    };
    const denial = usable(this.#denial.get(key));
    if (denial && denial.reply.rcode !== Rcode.SERVFAIL) return denial;
    return usable(this.#success.get(key)) ?? denial;
  }

  #hit(server: string, { kind }: CacheEntry): void {
    this.#metrics.cacheHits.with(server, kind, this.#zones, '').inc();
  }

  #ask(key: string, query: Query, next: Handler): Reply | Promise<Reply> {
    return whenReplied(next(query), (reply) => this.#keep(key, query, reply));
  }

  /** Keeps an answer if it may be kept, and returns it with the TTL that it has from now on. */
  #keep(key: string, query: Query, reply: Reply): Reply {
    const kind = kindOf(query, reply);
    if (kind === 'never' || kind === 'failure') {
      if (kind === 'failure' && this.#options.failureTtl > 0)
        this.#store(key, query, { kind: 'denial', reply, ttl: this.#options.failureTtl });
      return { ...reply, reuse: undefined };
    }
    const limits = this.#options[kind];
    const ttl = Math.min(Math.max(lowestTtl(reply, limits.maxTtl), limits.minTtl), limits.maxTtl);
    const timed = withTtl(reply, ttl);
    // Answers of a zone that is not cached stay reusable as their own plug-in said.
    if (limits.except.some((zone) => isInZone(query.name, zone))) return timed;
    const entry = this.#store(key, query, { kind, reply: timed, ttl });
    return this.#reusable(entry, query, timed);
  }

  #store(key: string, { server }: Query, found: { kind: 'success' | 'denial'; reply: Reply; ttl: number }): CacheEntry {
    const { kind, reply, ttl } = found;
    const now = this.#clock.now();
    // Errors are reported once, not with each use of the entry.
    const { error: _, reuse: __, ...kept } = reply;
    const entry: CacheEntry = {
      reply: kept,
      ttl,
      kind,
      storedMs: now,
      hits: 0,
      lastHitMs: now,
      isRefreshing: false,
      retryAfterMs: 0,
    };
    const entries = kind === 'success' ? this.#success : this.#denial;
    if (kind === 'success') this.#denial.delete(key);
    if (entries.set(key, entry)) this.#metrics.cacheEvictions.with(server, kind, this.#zones, '').inc();
    this.#metrics.cacheEntries.with(server, 'success', this.#zones, '').set(this.#success.size);
    this.#metrics.cacheEntries.with(server, 'denial', this.#zones, '').set(this.#denial.size);
    return entry;
  }

  #fresh(key: string, entry: CacheEntry, query: Query, next: Handler): Reply {
    const now = this.#clock.now();
    const left = entry.ttl - Math.floor((now - entry.storedMs) / 1000);
    if (this.#shouldPrefetch(entry, now, left)) void this.#refresh(key, entry, query, next);
    return this.#reusable(entry, query, this.#options.keepsTtl ? entry.reply : withTtl(entry.reply, left));
  }

  /** Without prefetching, hits need not be seen: the server may answer them by itself. */
  #reusable(entry: CacheEntry, { server }: Query, reply: Reply): Reply {
    if (this.#options.prefetch > 0 || this.#options.keepsTtl) return { ...reply, reuse: undefined };
    const { storedMs, ttl } = entry;
    const requests = this.#metrics.cacheRequests.with(server, this.#zones, '');
    const hits = this.#metrics.cacheHits.with(server, entry.kind, this.#zones, '');
    const onUse = (): void => {
      requests.inc();
      hits.inc();
    };
    const untilMs = storedMs + ttl * 1000;
    return { ...reply, reuse: { epoch: this.#epoch, value: 0, agesFromMs: this.#clock.now(), untilMs, onUse } };
  }

  #shouldPrefetch(entry: CacheEntry, now: number, left: number): boolean {
    const { prefetch, prefetchWindowMs, prefetchPercentage } = this.#options;
    if (prefetch === 0) return false;
    entry.hits = entry.lastHitMs < now - prefetchWindowMs ? 1 : entry.hits + 1;
    entry.lastHitMs = now;
    return entry.hits >= prefetch && left <= Math.ceil((prefetchPercentage / 100) * entry.ttl);
  }

  /** Asks again for an entry, at most once at a time. Returns the new answer if there is one. */
  async #refresh(key: string, entry: CacheEntry, query: Query, next: Handler): Promise<Reply | undefined> {
    if (entry.isRefreshing || this.#clock.now() < entry.retryAfterMs) return undefined;
    entry.isRefreshing = true;
    this.#metrics.cachePrefetches.with(query.server, this.#zones, '').inc();
    const reply = await next(query);
    entry.isRefreshing = false;
    const kind: ReplyKind = kindOf(query, reply);
    if (kind === 'never' || kind === 'failure') {
      entry.retryAfterMs = this.#clock.now() + (this.#options.stale?.recheckMs ?? 0);
      return undefined;
    }
    const kept = this.#keep(key, query, reply);
    const renewed = (kind === 'success' ? this.#success : this.#denial).get(key);
    if (renewed) renewed.hits = entry.hits;
    return kept;
  }

  #stale(key: string, entry: CacheEntry, stale: StaleOptions, query: Query, next: Handler): Reply | Promise<Reply> {
    const old = { ...withTtl(entry.reply, stale.ttl), reuse: undefined };
    const serve = (): Reply => {
      this.#metrics.cacheServedStale.with(query.server, this.#zones, '').inc();
      return old;
    };
    const refreshed = this.#refresh(key, entry, query, next);
    if (!stale.verifies) return serve();
    const better = refreshed.then((reply) => reply ?? serve());
    if (stale.verifyTimeoutMs === 0) return better;
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(() => resolve(serve()), stale.verifyTimeoutMs);
      void better.then((reply) => {
        timer.cancel();
        resolve(reply);
      });
    });
  }
}

const keyOf = ({ name: asked, question, flags, edns }: Query): string => {
  const bits = ((edns?.flags ?? 0) & dnssecOk) | (flags & Flag.CD);
  return `${bits} ${question.type} ${question.class} ${asked}`;
};
