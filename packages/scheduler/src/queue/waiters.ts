type Resolve<T> = (item: T | undefined) => void;

/** Callers that wait for an item, in order. */
export class Waiters<T> {
  readonly #waiting = new Set<Resolve<T>>();

  /** Resolves with an item, or with undefined after `dismiss`. Rejects with the signal's reason. */
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

  /** Gives items to the waiting callers until `next` returns undefined. */
  serve(next: () => T | undefined): void {
    for (const waiter of this.#waiting) {
      const item = next();
      if (item === undefined) return;
      this.#waiting.delete(waiter);
      waiter(item);
    }
  }

  /** Resolves all waiting callers with undefined. */
  dismiss(): void {
    for (const waiter of this.#waiting) waiter(undefined);
    this.#waiting.clear();
  }
}
