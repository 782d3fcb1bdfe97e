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
  setTimeout(callback: () => void, delayMs: number): Timer;
}

/** A callback that waits for its time. */
export interface Timer {
  /** The callback is not called any more. Harmless when it was already. */
  cancel(): void;
}

/** Longer delays would be taken for 1 ms. */
const longestDelayMs = 2 ** 31 - 1;

/**
 * The machine's time. Its timers do not keep a process alive by themselves: whoever waits for something is alive by what
 * it waits for (a socket, a signal), and a forgotten timer never keeps a test run from ending.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, delayMs) {
    const timer: unknown = setTimeout(callback, Math.min(Math.max(delayMs, 0), longestDelayMs));
    // A number in browsers.
    if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
      timer.unref();
    }
    return { cancel: () => clearTimeout(timer as Parameters<typeof clearTimeout>[0]) };
  },
};
