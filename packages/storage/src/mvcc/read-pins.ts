/** Which revisions are being read in several slices, so that compaction takes nothing away under them. */
export class ReadPins {
  readonly #pinned = new Set<{ readonly revision: number }>();
  #waiting: { readonly revision: number; readonly resolve: () => void }[] = [];

  /** Holds the revision until what it returns is called. */
  pin(revision: number): () => void {
    const pin = { revision };
    this.#pinned.add(pin);
    return () => {
      this.#pinned.delete(pin);
      const met = this.#waiting.filter(({ revision }) => !this.#isRead(revision));
      if (met.length === 0) return;
      this.#waiting = this.#waiting.filter((each) => !met.includes(each));
      for (const { resolve } of met) resolve();
    };
  }

  /** Waits until nobody reads what was before the revision. */
  released(revision: number): Promise<void> {
    if (!this.#isRead(revision)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ revision, resolve });
    });
  }

  #isRead(before: number): boolean {
    for (const { revision } of this.#pinned) if (revision < before) return true;
    return false;
  }
}
