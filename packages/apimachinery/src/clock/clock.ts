/** Time as a parameter. Code that waits, backs off or expires takes a Clock, so that tests can advance the time without waiting. */
export interface Clock {
  /** Milliseconds since 1970. May jump when the system's clock is set. */
  now(): number;
  /** Milliseconds that never decrease, for measuring durations. */
  monotonic(): number;
  /** Calls `callback` once, after at least `delayMs`. */
  setTimeout(callback: () => void, delayMs: number, options?: TimerOptions): Timer;
}

export interface TimerOptions {
  /**
   * Does not keep the process alive for this timer. For housekeeping, such as closing idle connections or updating metrics. Not for
   * timers that something waits for, such as retries: a program that only waits for them would end.
   */
  readonly background?: boolean;
}

/** A pending callback. */
export interface Timer {
  /** Prevents the call of the callback. Has no effect after the call. */
  cancel(): void;
}

/** Node's and browsers' setTimeout treat longer delays as 1 ms. */
const longestDelayMs = 2 ** 31 - 1;

/** The system's time. Delays are rounded up: Node truncates fractions of milliseconds, so the timer would be early. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, delayMs, { background = false } = {}) {
    let timer: unknown;
    // A longer delay takes several timers, one after the other.
    const wait = (leftMs: number): void => {
      const stepMs = Math.min(leftMs, longestDelayMs);
      timer = setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : callback()), stepMs);
      // In browsers the timer is a number.
      if (background && typeof timer === 'object' && timer !== null && 'unref' in timer) {
        if (typeof timer.unref === 'function') timer.unref();
      }
    };
    wait(Math.max(Math.ceil(delayMs), 0));
    return { cancel: () => clearTimeout(timer as Parameters<typeof clearTimeout>[0]) };
  },
};
