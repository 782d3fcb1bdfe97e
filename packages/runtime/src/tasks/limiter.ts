import { onAbort } from '@coxswain/apimachinery/abort';

/** Lets a number of tasks run at once; the others wait in the order in which they came. */
export class Limiter {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Rejects with the signal's reason if it is aborted before the task has begun. */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(signal);
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  async #enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        unlink();
        resolve();
      };
      const unlink = onAbort(signal, () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal?.reason);
      });
      this.#waiting.push(start);
    });
  }
}
