import type { Clock, Timer } from '@coxswain/apimachinery/clock';

/** The limits of the pace: the time after a write to a watcher during which further events wait to be sent together. */
const shortestPaceMs = 2;
const longestPaceMs = 10;
/** The pace is this many times the duration of the last flush, so that sending to many watchers takes only a part of the time. */
const waitPerWork = 5;

/**
 * Batches the events of several commits for watchers of busy resources, because a write to a connection costs about the same
 * for one event as for twenty. The first event after a pause is never delayed.
 */
export class WatchPacer {
  /** The clock of the pacer and of the watches that use it. */
  readonly clock: Clock;
  readonly #waiting = new Set<() => void>();
  #paceMs = shortestPaceMs;
  #timer: Timer | undefined;
  /** The last result of `join`. Cleared at the end of each flush. */
  #joined: { readonly frames: readonly Uint8Array[]; readonly chunk: Buffer } | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Returns whether a watcher that was last sent something at `last` should wait. */
  isTooSoon(last: number): boolean {
    return this.clock.monotonic() - last < this.#paceMs;
  }

  /** Calls `flush` after the pace, together with all other scheduled callbacks. */
  schedule(flush: () => void): void {
    this.#waiting.add(flush);
    this.#timer ??= this.clock.setTimeout(() => this.#flush(), this.#paceMs);
  }

  /**
   * Returns the frames concatenated. The result is shared, because watchers that waited together mostly send the same frames. It must
   * not be modified.
   */
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
