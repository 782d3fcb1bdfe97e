/** The revisions being read in several slices. Compaction waits for them before it removes records they need. */
export class ReadPins {
  readonly #pinned = new Set<{ readonly revision: number }>();
  #waiting: { readonly revision: number; readonly resolve: () => void }[] = [];

  /** Pins the revision until the returned function is called. */
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

  /** Resolves when no revision before this one is pinned. */
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
