import { type Identity, identityKey } from './identity.ts';

/**
 * Owners that are known not to exist, the last so many of them: the dependents of one that is gone need not all ask for
 * it. What is gone stays gone, as no uid comes twice.
 */
export class AbsentOwners {
  readonly #capacity: number;
  /** Longest known first; never more than `#capacity`. */
  readonly #keys = new Set<string>();

  constructor(capacity = 5000) {
    this.#capacity = capacity;
  }

  add(identity: Identity): void {
    const key = identityKey(identity);
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size <= this.#capacity) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      return;
    }
  }

  has(identity: Identity): boolean {
    return this.#keys.has(identityKey(identity));
  }
}
