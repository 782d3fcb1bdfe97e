import { untilAborted } from '../../wait/child-signal.ts';

interface Running<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  /** Number of callers that have not aborted. */
  waiting: number;
}

/** An asynchronous call that is shared by concurrent callers. It is aborted only when all of them have aborted. */
export class SharedCall<T> {
  readonly #start: (signal: AbortSignal) => Promise<T>;
  #running: Running<T> | undefined;

  constructor(start: (signal: AbortSignal) => Promise<T>) {
    this.#start = start;
  }

  /** Waits for the running call, or starts one. Rejects with the signal's reason as soon as it is aborted. */
  async join(signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const running = this.#running ?? this.#begin();
    running.waiting++;
    try {
      return await (signal ? untilAborted(running.result, signal) : running.result);
    } finally {
      if (--running.waiting === 0) {
        // The next caller must not join an aborted call.
        if (this.#running === running) this.#running = undefined;
        running.abort.abort();
      }
    }
  }

  #begin(): Running<T> {
    const abort = new AbortController();
    const running: Running<T> = { result: this.#start(abort.signal), abort, waiting: 0 };
    this.#running = running;
    const done = (): void => {
      if (this.#running === running) this.#running = undefined;
    };
    running.result.then(done, done);
    return running;
  }
}
