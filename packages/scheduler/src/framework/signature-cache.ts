/** Enough for the workloads that are rolled out at the same time. */
const maxSignatures = 16;

/** Something for each signature of pods; what nobody asked for longest is dropped when there are too many. */
export class SignatureCache<T> {
  readonly #make: () => T;
  readonly #limit: number;
  readonly #bySignature = new Map<string, T>();

  constructor(make: () => T, limit: number = maxSignatures) {
    this.#make = make;
    this.#limit = limit;
  }

  get(signature: string): T {
    const value = this.#bySignature.get(signature) ?? this.#make();
    this.#bySignature.delete(signature);
    this.#bySignature.set(signature, value);
    if (this.#bySignature.size > this.#limit) this.#dropOldest();
    return value;
  }

  clear(): void {
    this.#bySignature.clear();
  }

  #dropOldest(): void {
    for (const signature of this.#bySignature.keys()) {
      this.#bySignature.delete(signature);
      return;
    }
  }
}
