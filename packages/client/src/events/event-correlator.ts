import type { Event } from '@coxswain/api/core/v1';
import { LruCache } from '@coxswain/apimachinery/cache';
import type { Clock } from '@coxswain/apimachinery/clock';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { TokenBucketRateLimiter } from '../flowcontrol/token-bucket-rate-limiter.ts';

/** Limits of the correlator. */
export interface CorrelatorOptions {
  /** Maximum number of cached entries per kind of state. 4096 by default. */
  readonly cacheSize?: number;
  /** Burst of events that a source may report about an object. 25 by default. */
  readonly burst?: number;
  /** Events per second that a source may report about an object after the burst. One in 300 s by default. */
  readonly qps?: number;
  /** Events that differ only in their message are combined into one from this number on. 10 by default. */
  readonly maxEvents?: number;
  /** Events with a longer interval between them are not combined. Ten minutes by default. */
  readonly maxIntervalMs?: number;
}

/** The changes to an event that was written before. */
export interface EventPatch {
  readonly count: number;
  readonly lastTimestamp: string;
  readonly message?: string;
}

export interface CorrelatedEvent {
  /** The event in its current state. It is created if there is no patch, or if the event to patch no longer exists. */
  readonly event: Event;
  readonly patch?: EventPatch;
}

/** The default TTL of events: after that there is no event left to patch. */
const observedMs = 3_600_000;
/** Interval of sweeps that drop expired entries. */
const sweepMs = 60_000;

interface Observation {
  count: number;
  lastAt: number;
  readonly firstTimestamp: string | undefined;
  readonly name: string | undefined;
}

interface Group {
  /** The distinct messages seen; fewer than `maxEvents` after each call. Usually one. */
  messages: string[];
  lastAt: number;
}

/**
 * Reduces the number of events. A repeated event only increments a count, similar events are combined into one, and a
 * source that reports too often about an object is rate limited. State is kept per source, object and type in LRU
 * caches of `cacheSize` and dropped when it expires, because most objects are short-lived.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #options: Required<CorrelatorOptions>;
  readonly #groups: LruCache<string, Group>;
  readonly #observations: LruCache<string, Observation>;
  readonly #buckets: LruCache<string, TokenBucketRateLimiter>;
  #sweptAt: number;

  constructor(clock: Clock, options: CorrelatorOptions = {}) {
    this.#clock = clock;
    this.#options = {
      cacheSize: 4096,
      burst: 25,
      qps: 1 / 300,
      maxEvents: 10,
      maxIntervalMs: 600_000,
      ...options,
    };
    const { cacheSize } = this.#options;
    this.#groups = new LruCache(cacheSize);
    this.#observations = new LruCache(cacheSize);
    this.#buckets = new LruCache(cacheSize);
    this.#sweptAt = clock.monotonic();
  }

  /** The number of cached entries. */
  get size(): number {
    return this.#groups.size + this.#observations.size + this.#buckets.size;
  }

  /**
   * Returns what to write for an event; undefined when it is dropped. Dropped events are counted too. `newName` is
   * called to name a combined event, only if that is written.
   */
  correlate(event: Event, newName: () => string): CorrelatedEvent | undefined {
    this.#sweep();
    const source = spamKey(event);
    const groupKey = similarityKey(source, event);
    const isOneOfMany = this.#isOneOfMany(groupKey, event);
    const key = isOneOfMany ? groupKey : identityKey(source, event);
    const tell = (): Event => (isOneOfMany ? this.#combined(event, newName()) : event);
    const last = this.#observations.get(key);
    if (last) {
      last.count++;
      last.lastAt = this.#clock.monotonic();
      return this.#isAllowed(source) ? toldAgain(tell(), last) : undefined;
    }
    const told = tell();
    const { count = 1, firstTimestamp, metadata } = told;
    this.#observations.set(key, { count, lastAt: this.#clock.monotonic(), firstTimestamp, name: metadata.name });
    return this.#isAllowed(source) ? { event: told } : undefined;
  }

  #isOneOfMany(key: string, event: Event): boolean {
    const now = this.#clock.monotonic();
    const { maxEvents, maxIntervalMs } = this.#options;
    let group = this.#groups.get(key);
    if (!group) {
      group = { messages: [], lastAt: now };
      this.#groups.set(key, group);
    } else if (now - group.lastAt > maxIntervalMs) group.messages = [];
    const { message = '' } = event;
    group.lastAt = now;
    // A copy has exactly the needed capacity, unlike an array grown by push. Most groups never get a second message.
    if (!group.messages.includes(message)) group.messages = [...group.messages, message];
    if (group.messages.length < maxEvents) return false;
    group.messages.shift();
    return true;
  }

  /** Drops expired groups and observations, and rate limiters whose bucket is full again. */
  #sweep(): void {
    const now = this.#clock.monotonic();
    if (now - this.#sweptAt < sweepMs) return;
    this.#sweptAt = now;
    const { maxIntervalMs } = this.#options;
    for (const [key, { lastAt }] of this.#groups.entries()) if (now - lastAt > maxIntervalMs) this.#groups.delete(key);
    for (const [key, { lastAt }] of this.#observations.entries())
      if (now - lastAt > observedMs) this.#observations.delete(key);
    for (const [key, bucket] of this.#buckets.entries()) if (bucket.isFull) this.#buckets.delete(key);
  }

  /** A new event that stands for several similar ones. */
  #combined({ metadata, involvedObject, message, type, reason, source }: Event, name: string): Event {
    const now = timeFromDate(new Date(this.#clock.now()));
    return {
      metadata: { name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) },
      involvedObject,
      message: `(combined from similar events): ${message ?? ''}`,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      ...(type !== undefined && { type }),
      ...(reason !== undefined && { reason }),
      ...(source !== undefined && { source }),
    };
  }

  #isAllowed(key: string): boolean {
    const { qps, burst } = this.#options;
    let bucket = this.#buckets.get(key);
    if (!bucket) {
      bucket = new TokenBucketRateLimiter({ qps, burst, clock: this.#clock });
      this.#buckets.set(key, bucket);
    }
    return bucket.tryAccept();
  }
}

/** The event that was written first, with the current count. */
function toldAgain(event: Event, { count, firstTimestamp, name }: Observation): CorrelatedEvent {
  const { lastTimestamp = '', message } = event;
  const again: Event = {
    ...event,
    metadata: { ...event.metadata, ...(name !== undefined && { name }) },
    count,
    ...(firstTimestamp !== undefined && { firstTimestamp }),
  };
  return { event: again, patch: { count, lastTimestamp, ...(message && { message }) } };
}

/**
 * Key of source, object and event type. Thousands of these are cached, so an object with a UID is identified by that
 * alone.
 */
function spamKey({ source, involvedObject: object, type }: Event): string {
  const { kind = '', namespace = '', name = '', uid, apiVersion = '' } = object;
  const which = uid || `\0${kind}\0${namespace}\0${name}`;
  return `${source?.component ?? ''}\0${source?.host ?? ''}\0${which}\0${apiVersion}\0${type ?? ''}`;
}

/** Key of events that differ only in their message. */
function similarityKey(
  spamKey: string,
  { reason = '', reportingComponent = '', reportingInstance = '' }: Event,
): string {
  return `${spamKey}\0${reason}\0${reportingComponent}\0${reportingInstance}`;
}

/** Key of identical events. */
function identityKey(spamKey: string, { involvedObject, reason = '', message = '' }: Event): string {
  return `${spamKey}\0${involvedObject.fieldPath ?? ''}\0${reason}\0${message}`;
}
