type Resolve<T> = (item: T | undefined) => void;

/** Those who wait for something to be handed to them, longest first. */
export class Waiters<T> {
  readonly #waiting = new Set<Resolve<T>>();

  /** Resolves when its turn has come; undefined when it never will. Rejects with the signal's reason. */
  wait(signal: AbortSignal | undefined): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const waiter: Resolve<T> = (item) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(item);
      };
      const onAbort = (): void => {
        this.#waiting.delete(waiter);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
    });
  }

  /** Hands out what there is, as long as there is anything. */
  serve(next: () => T | undefined): void {
    for (const waiter of this.#waiting) {
      const item = next();
      if (item === undefined) return;
      this.#waiting.delete(waiter);
      waiter(item);
    }
  }

  /** Nothing comes any more. */
  dismiss(): void {
    for (const waiter of this.#waiting) waiter(undefined);
    this.#waiting.clear();
  }
}
