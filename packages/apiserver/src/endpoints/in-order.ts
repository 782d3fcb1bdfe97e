/** The number of event batches that may wait for conversion. Above it the watch fails, and the client lists again. */
const maxWaiting = 1000;

/**
 * Runs callbacks in the order of the calls: synchronously while nothing is pending, otherwise after all earlier ones. When a
 * pending promise rejects, its failure callback runs in the same order.
 */
export class InOrder {
  #last: Promise<void> | undefined;
  #waiting = 0;

  /** Calls `done` once `pending` and all earlier calls are settled, or `failed` when `pending` rejects or too many calls wait. */
  run(pending: Promise<void> | undefined, done: () => void, failed: (error: unknown) => void): void {
    if (!pending && !this.#last) {
      done();
      return;
    }
    if (++this.#waiting > maxWaiting) {
      failed(new Error('too many events are waiting to be converted'));
      return;
    }
    const settled = pending ?? Promise.resolve();
    // Prevents an unhandled rejection: the promise is awaited only when its turn comes.
    settled.catch(() => {});
    const before = this.#last ?? Promise.resolve();
    const turn: Promise<void> = before
      .then(() => settled)
      .then(done)
      .catch(failed)
      .then(() => {
        this.#waiting--;
        if (this.#last === turn) this.#last = undefined;
      });
    this.#last = turn;
  }
}
