import type { Event } from '@coxswain/api/core/v1';
import { newTooManyRequestsError } from '@coxswain/apimachinery';
import { LruCache } from '@coxswain/apimachinery/cache';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { aggregateMessages } from '../aggregate-messages.ts';
import type { AdmissionContext } from '../plugin-context.ts';

/** The key by which events are limited: none, or their namespace, user, or source and object. */
export const eventLimitTypes = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;
export type EventLimitType = (typeof eventLimitTypes)[number];

export interface EventLimit {
  readonly type: EventLimitType;
  /** Events per second. */
  readonly qps: number;
  readonly burst: number;
  /** Maximum number of keys. The least recently used one is evicted, and starts with a full bucket. */
  readonly cacheSize: number;
}

/** Limits the rate at which clients write events. */
export function eventRateLimit({ now }: Pick<AdmissionContext, 'now'>, limits: readonly EventLimit[]): AdmissionPlugin {
  const enforced = limits.map((limit) => ({ type: limit.type, buckets: new TokenBuckets(limit) }));
  return {
    name: 'EventRateLimit',
    operations: ['CREATE', 'UPDATE'],
    resources: ['events'],
    validate(attributes) {
      if (attributes.dryRun) return;
      const time = now().getTime();
      const reached = enforced.flatMap(({ type, buckets }) => {
        const key = keyOf[type](attributes);
        return buckets.take(key, time) ? [] : [`limit reached on type ${type} for key ${key}`];
      });
      if (reached.length > 0) throw newTooManyRequestsError(aggregateMessages(reached));
    },
  };
}

const keyOf: Readonly<Record<EventLimitType, (attributes: AdmissionAttributes) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.username,
  SourceAndObject: ({ object }) => {
    const { source = {}, involvedObject: about } = object as Event;
    return [source.component, source.host, about.kind, about.namespace, about.name, about.uid, about.apiVersion].join(
      '',
    );
  },
};

/** Token buckets by key. They start full, each event takes a token, and tokens are refilled at a constant rate. */
class TokenBuckets {
  readonly #buckets: LruCache<string, { tokens: number; at: number }>;
  readonly #limit: EventLimit;

  constructor(limit: EventLimit) {
    this.#limit = limit;
    this.#buckets = new LruCache(limit.cacheSize);
  }

  take(key: string, now: number): boolean {
    const { qps, burst } = this.#limit;
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    this.#buckets.set(key, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * qps);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}
