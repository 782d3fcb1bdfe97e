import type { Clock } from '@coxswain/client';
import { type Identity, identityKey } from './identity.ts';

/** Dependents of an owner are looked at soon after it is gone. */
const rememberedMs = 600_000;

/**
 * Owners that are known not to exist, the last so many of the last ten minutes: the dependents of one that is gone need not all
 * ask for it. What is gone stays gone, as no uid comes twice.
 */
export class AbsentOwners {
  readonly #clock: Clock;
  readonly #capacity: number;
  /** When each became known, the oldest first; never more than `#capacity`. */
  readonly #since = new Map<string, number>();

  constructor(clock: Clock, capacity = 5000) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#since.size;
  }

  add(identity: Identity): void {
    const key = identityKey(identity);
    const now = this.#clock.monotonic();
    this.#since.delete(key);
    this.#since.set(key, now);
    for (const [oldest, since] of this.#since) {
      if (this.#since.size <= this.#capacity && now - since < rememberedMs) return;
      this.#since.delete(oldest);
    }
  }

  has(identity: Identity): boolean {
    return this.#since.has(identityKey(identity));
  }
}
