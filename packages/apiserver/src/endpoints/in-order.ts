/** So many batches of events may wait for others to be converted; a watcher for whom more wait had better begin anew. */
const maxWaiting = 1000;

/**
 * Does one thing after the other: at once as long as nothing has to be waited for, and in turn when something has. What
 * cannot be prepared fails in its turn.
 */
export class InOrder {
  #last: Promise<void> | undefined;
  #waiting = 0;

  /** `pending`: what must be settled before `done` may be called; undefined: nothing. */
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
    // It is waited for in its turn.
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
