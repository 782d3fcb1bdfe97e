import type { Clock, Timer } from '@coxswain/apimachinery/clock';

/** How long events may wait for others to go with them, once a watcher has just been sent some: so long at least and at most. */
const shortestPaceMs = 2;
const longestPaceMs = 10;
/** The wait is so many times what sending to all who waited took: with many watchers it takes a part of the time, not all of it. */
const waitPerWork = 5;

/**
 * Lets watchers of a busy resource be sent several commits' events at once: a write to a connection costs about the same
 * for one event as for twenty. The first event after a pause never waits.
 */
export class WatchPacer {
  /** The time that it goes by, and those whom it paces. */
  readonly clock: Clock;
  readonly #waiting = new Set<() => void>();
  #paceMs = shortestPaceMs;
  #timer: Timer | undefined;
  /** What was joined last. Let go of when all have been called back. */
  #joined: { readonly frames: readonly Uint8Array[]; readonly chunk: Buffer } | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Whether somebody who was last sent something then should wait now. */
  isTooSoon(last: number): boolean {
    return this.clock.monotonic() - last < this.#paceMs;
  }

  /** Calls back soon, together with all others who wait. */
  schedule(flush: () => void): void {
    this.#waiting.add(flush);
    this.#timer ??= this.clock.setTimeout(() => this.#flush(), this.#paceMs);
  }

  /** The frames in one piece, which must not be changed: those who waited together mostly wait for the same. */
  join(frames: readonly Uint8Array[]): Buffer {
    if (!this.#joined || !isSame(this.#joined.frames, frames)) this.#joined = { frames, chunk: Buffer.concat(frames) };
    return this.#joined.chunk;
  }

  #flush(): void {
    this.#timer = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    const began = this.clock.monotonic();
    for (const flush of waiting) flush();
    this.#joined = undefined;
    const paceMs = waitPerWork * (this.clock.monotonic() - began);
    this.#paceMs = Math.min(longestPaceMs, Math.max(shortestPaceMs, paceMs));
  }
}

function isSame(a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
