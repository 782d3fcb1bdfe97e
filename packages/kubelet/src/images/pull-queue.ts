import { onAbort } from '@coxswain/apimachinery/abort';

/** Limits the number of simultaneous pulls. Further pulls wait in the order of their requests, and can be cancelled while they wait. */
export class PullQueue {
  readonly #most: number;
  #running = 0;
  readonly #waiting = new Set<() => void>();

  /** `most` is Infinity for no limit. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** The number of waiting pulls. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Does the work when it is its turn. Rejects with the signal's reason if it is aborted before. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#running--;
      const [next] = this.#waiting;
      next?.();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running < this.#most) {
      this.#running++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        leave();
        this.#waiting.delete(start);
        this.#running++;
        resolve();
      };
      const leave = onAbort(signal, () => {
        this.#waiting.delete(start);
        reject(signal.reason);
      });
      this.#waiting.add(start);
    });
  }
}
