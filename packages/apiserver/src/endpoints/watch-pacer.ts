/** How long events may wait for others to go with them, once a watcher has just been sent some. */
const paceMs = 2;

/**
 * Lets watchers of a busy resource be sent several commits' events at once: a write to a connection costs about the same
 * for one event as for twenty. The first event after a pause never waits.
 */
export class WatchPacer {
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  /** Whether somebody who was last sent something then should wait now. */
  isTooSoon(last: number): boolean {
    return performance.now() - last < paceMs;
  }

  /** Calls back soon, together with all others who wait. */
  schedule(flush: () => void): void {
    this.#waiting.add(flush);
    this.#timer ??= setTimeout(() => this.#flush(), paceMs);
  }

  #flush(): void {
    this.#timer = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const flush of waiting) flush();
  }
}
