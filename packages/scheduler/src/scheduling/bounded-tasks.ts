/** Runs tasks with limited concurrency. Further tasks wait, in order. */
export class BoundedTasks {
  readonly #limit: number;
  #running = 0;
  /** Tasks that wait for a slot. Callers of `room` come after them. */
  readonly #waiting: (() => void)[] = [];
  #roomWaiters: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running++;
    // A task that ends passes its slot to the next one: `#running` does not change.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#leave();
    }
  }

  /** Resolves as soon as another task would start immediately. */
  async room(): Promise<void> {
    while (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#roomWaiters.push(resolve));
  }

  #leave(): void {
    this.#running--;
    const waiters = this.#roomWaiters;
    this.#roomWaiters = [];
    for (const resolve of waiters) resolve();
  }
}
