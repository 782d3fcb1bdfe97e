/** As upstream: a lease serves keys for a twentieth of their time, at most a minute, and at most so many of them. */
const reusePart = 0.05;
const maxReuseSeconds = 60;
const maxKeysPerLease = 1000;
/** Times to live are few in practice; more than that share nothing. */
const maxLeases = 64;

interface Lease {
  readonly id: Promise<bigint>;
  /** Keys are given to it before this time. */
  readonly reuseUntil: number;
  keys: number;
}

/**
 * Leases for keys that go by themselves. A lease costs etcd a write and memory, and events come by the thousand: those
 * of the same time to live share one, and go up to a minute late for it.
 */
export class LeaseManager {
  readonly #grantLease: (ttlSeconds: number) => Promise<bigint>;
  readonly #now: () => number;
  /** The newest lease of each time to live, in the order in which they came. */
  readonly #leases = new Map<number, Lease>();

  /** `now` is in milliseconds, and must not go back when the machine's clock is set. */
  constructor(grantLease: (ttlSeconds: number) => Promise<bigint>, now: () => number) {
    this.#grantLease = grantLease;
    this.#now = now;
  }

  /** A lease that lasts at least so long from now. Fails as granting does. */
  lease(ttlSeconds: number): Promise<bigint> {
    const existing = this.#leases.get(ttlSeconds);
    if (existing !== undefined && this.#now() < existing.reuseUntil && existing.keys < maxKeysPerLease) {
      existing.keys++;
      return existing.id;
    }
    return this.#grant(ttlSeconds).id;
  }

  /** Gives it to no more keys: etcd does not know it. */
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
