import { LruCache } from '@coxswain/apimachinery/cache';

/** Enough for the workloads that are rolled out at the same time. */
const maxSignatures = 16;

/** One value per signature of pods. The least recently used value is dropped when there are too many. */
export class SignatureCache<T> {
  readonly #make: () => T;
  readonly #bySignature: LruCache<string, T>;

  constructor(make: () => T, limit: number = maxSignatures) {
    this.#make = make;
    this.#bySignature = new LruCache(limit);
  }

  get(signature: string): T {
    const known = this.#bySignature.get(signature);
    if (known !== undefined) return known;
    const value = this.#make();
    this.#bySignature.set(signature, value);
    return value;
  }

  clear(): void {
    this.#bySignature.clear();
  }
}
