import { onAbort } from '@coxswain/apimachinery/abort';

interface SharedTask<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  /** Callers that wait for it. */
  callers: number;
}

/** Tasks that run once at a time for each key, however many callers want them. One is cancelled when no caller wants it any more. */
export class SharedTasks<T> {
  readonly #tasks = new Map<string, SharedTask<T>>();

  /** Joins the task of the key, or starts it. Rejects with the signal's reason when the signal is aborted. */
  async run(key: string, start: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const task = this.#tasks.get(key) ?? this.#start(key, start);
    task.callers++;
    let unlink = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      unlink = onAbort(signal, () => reject(signal?.reason));
    });
    try {
      return await Promise.race([task.result, aborted]);
    } finally {
      unlink();
      task.callers--;
      if (task.callers === 0) {
        // A later caller must not join what is being cancelled.
        if (this.#tasks.get(key) === task) this.#tasks.delete(key);
        task.stop.abort(signal?.reason ?? new Error('nobody wants it any more'));
        // What it has begun is taken away before its last caller goes on.
        await task.result.catch(() => {});
      }
    }
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<T>): SharedTask<T> {
    const stop = new AbortController();
    const task: SharedTask<T> = { result: start(stop.signal), stop, callers: 0 };
    const forget = (): void => {
      if (this.#tasks.get(key) === task) this.#tasks.delete(key);
    };
    task.result.then(forget, forget);
    this.#tasks.set(key, task);
    return task;
  }
}
