import type { Clock } from '@coxswain/client';
import { type Identity, identityKey } from './identity.ts';

/** Dependents are processed soon after their owner is deleted, so entries need not be kept longer. */
const rememberedMs = 600_000;

/**
 * Owners that are known not to exist: at most `capacity` entries of the last ten minutes. It avoids a request per dependent of a
 * deleted owner. Entries cannot become wrong, because uids are never reused.
 */
export class AbsentOwners {
  readonly #clock: Clock;
  readonly #capacity: number;
  /** When each owner became known to be absent, oldest first. Never more than `#capacity` entries. */
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
