/**
 * As upstream: a lease is used for new keys for a twentieth of its time to live, at most a minute, and for at most 1000
 * keys.
 */
const reusePart = 0.05;
const maxReuseSeconds = 60;
const maxKeysPerLease = 1000;
/** The number of leases to remember. There are few different times to live in practice. */
const maxLeases = 64;

interface Lease {
  readonly id: Promise<bigint>;
  /** New keys may use it before this time. */
  readonly reuseUntil: number;
  keys: number;
}

/**
 * Leases for keys with a time to live. A lease costs etcd a write and memory, and there may be thousands of Events. So
 * keys with the same time to live share a lease, and expire up to a minute late.
 */
export class LeaseManager {
  readonly #grantLease: (ttlSeconds: number) => Promise<bigint>;
  readonly #now: () => number;
  /** The newest lease of each time to live, in the order of their creation. */
  readonly #leases = new Map<number, Lease>();

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(grantLease: (ttlSeconds: number) => Promise<bigint>, now: () => number) {
    this.#grantLease = grantLease;
    this.#now = now;
  }

  /** Returns a lease that lasts at least `ttlSeconds` from now. Rejects when granting fails. */
  lease(ttlSeconds: number): Promise<bigint> {
    const existing = this.#leases.get(ttlSeconds);
    if (existing !== undefined && this.#now() < existing.reuseUntil && existing.keys < maxKeysPerLease) {
      existing.keys++;
      return existing.id;
    }
    return this.#grant(ttlSeconds).id;
  }

  /** Stops using a lease that etcd does not know. */
  async forget(ttlSeconds: number, id: bigint): Promise<void> {
    const lease = this.#leases.get(ttlSeconds);
    if (lease !== undefined && (await lease.id.catch(() => id)) === id && this.#leases.get(ttlSeconds) === lease) {
      this.#leases.delete(ttlSeconds);
    }
  }

  #grant(ttlSeconds: number): Lease {
    const reuseSeconds = Math.min(maxReuseSeconds, Math.floor(ttlSeconds * reusePart));
    const lease: Lease = {
      id: this.#grantLease(Math.ceil(ttlSeconds) + reuseSeconds),
      reuseUntil: this.#now() + reuseSeconds * 1000,
      keys: 1,
    };
    this.#leases.delete(ttlSeconds);
    this.#leases.set(ttlSeconds, lease);
    for (const oldest of this.#leases.keys()) {
      if (this.#leases.size <= maxLeases) break;
      this.#leases.delete(oldest);
    }
    lease.id.catch(() => {
      if (this.#leases.get(ttlSeconds) === lease) this.#leases.delete(ttlSeconds);
    });
    return lease;
  }
}
