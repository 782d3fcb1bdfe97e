import { onAbort } from '@coxswain/apimachinery/abort';

/** Lets a few calls run at once. The others wait in order. */
export class Limiter {
  readonly #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Runs `call` when it is its turn. Rejects if the signal is aborted before. */
  async run<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running >= this.#limit) await this.#turn(signal);
    else this.#running++;
    try {
      return await call();
    } finally {
      // The turn is handed over: the number of running calls stays.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
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
