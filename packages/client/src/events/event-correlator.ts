import type { Event } from '@coxswain/api/core/v1';
import { LruCache } from '@coxswain/apimachinery/cache';
import type { Clock } from '@coxswain/apimachinery/clock';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { TokenBucketRateLimiter } from '../flowcontrol/token-bucket-rate-limiter.ts';

/** How much of what happens is told. */
export interface CorrelatorOptions {
  /** Sources and objects that are remembered. 4096 by default. */
  readonly cacheSize?: number;
  /** As many events may a source tell of an object at once. 25 by default. */
  readonly burst?: number;
  /** And so many more per second. One in 300 s by default. */
  readonly qps?: number;
  /** From so many events that differ only in their message on, they are told as one. 10 by default. */
  readonly maxEvents?: number;
  /** Events with more time in between do not belong together. Ten minutes by default. */
  readonly maxIntervalMs?: number;
}

/** What an event that was told before has to be changed to. */
export interface EventPatch {
  readonly count: number;
  readonly lastTimestamp: string;
  readonly message?: string;
}

export interface CorrelatedEvent {
  /** The event as it is now; to be created if there is no patch, or what it patches is gone. */
  readonly event: Event;
  readonly patch?: EventPatch;
}

/** Servers keep an event for an hour by default: there is nothing left to count up after that. */
const observedMs = 3_600_000;
/** How often it is looked what can be forgotten. */
const sweepMs = 60_000;

interface Observation {
  count: number;
  lastAt: number;
  readonly firstTimestamp: string | undefined;
  readonly name: string | undefined;
}

interface Group {
  /** The messages seen; fewer than `maxEvents`, but for a moment. Mostly it is one. */
  messages: string[];
  lastAt: number;
}

/**
 * Makes few events of many: the same event again only counts up, similar ones become one, and a source that says too much
 * about an object is not heard. Per source, object and type so much is remembered as the cache holds, and as long as it can
 * matter: most objects are soon gone.
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

  /** How much is remembered. */
  get size(): number {
    return this.#groups.size + this.#observations.size + this.#buckets.size;
  }

  /**
   * What to tell for an event; undefined for nothing. `newName` names an event that stands for several. What is not told counts too, and
   * is not made only to be dropped.
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
    // What is as long as needed is no longer than that: most groups never get a second.
    if (!group.messages.includes(message)) group.messages = [...group.messages, message];
    if (group.messages.length < maxEvents) return false;
    group.messages.shift();
    return true;
  }

  /** Forgets what makes no difference any more. */
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

  /** An event of its own, that says so. */
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

/** The event that was told first, with how often it was by now. */
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

/** Who tells what kind of thing about which object. Thousands are kept, so what a UID stands for is left out. */
function spamKey({ source, involvedObject: object, type }: Event): string {
  const { kind = '', namespace = '', name = '', uid, apiVersion = '' } = object;
  const which = uid || `\0${kind}\0${namespace}\0${name}`;
  return `${source?.component ?? ''}\0${source?.host ?? ''}\0${which}\0${apiVersion}\0${type ?? ''}`;
}

/** The same but for the message. */
function similarityKey(
  spamKey: string,
  { reason = '', reportingComponent = '', reportingInstance = '' }: Event,
): string {
  return `${spamKey}\0${reason}\0${reportingComponent}\0${reportingInstance}`;
}

/** The same. */
function identityKey(spamKey: string, { involvedObject, reason = '', message = '' }: Event): string {
  return `${spamKey}\0${involvedObject.fieldPath ?? ''}\0${reason}\0${message}`;
}
