/**
 * Time as a parameter. Whatever waits, backs off or expires takes one, so that a test can turn a year ahead without
 * waiting for it.
 */
export interface Clock {
  /** Milliseconds since 1970. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds that only ever grow; for measuring how long something took. */
  monotonic(): number;
  /** Calls back once, after at least `delayMs`. */
  setTimeout(callback: () => void, delayMs: number, options?: TimerOptions): Timer;
}

export interface TimerOptions {
  /**
   * Housekeeping, for which alone no process need stay alive: closing what is idle, bringing metrics up to date. Whoever
   * waits for something, to try again or to go on, must not say so: a program in which everybody waits would end.
   */
  readonly background?: boolean;
}

/** A callback that waits for its time. */
export interface Timer {
  /** The callback is not called any more. Harmless when it was already. */
  cancel(): void;
}

/** Longer delays would be taken for 1 ms. */
const longestDelayMs = 2 ** 31 - 1;

/** The machine's time. Node leaves out parts of milliseconds, so that a timer would be early by them. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, delayMs, { background = false } = {}) {
    const timer: unknown = setTimeout(callback, Math.min(Math.max(Math.ceil(delayMs), 0), longestDelayMs));
    // A number in browsers.
    if (background && typeof timer === 'object' && timer !== null && 'unref' in timer) {
      if (typeof timer.unref === 'function') timer.unref();
    }
    return { cancel: () => clearTimeout(timer as Parameters<typeof clearTimeout>[0]) };
  },
};
