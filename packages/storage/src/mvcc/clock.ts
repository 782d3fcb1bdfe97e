/** Where a store gets its time from. */
export interface Clock {
  now(): Date;
  /** Calls back once after so many milliseconds, unless what it returns is called before. */
  setTimer(callback: () => void, delayMs: number): () => void;
}

/** The machine's time. Its timers keep no process alive. */
export const systemClock: Clock = {
  now: () => new Date(),
  setTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

// Taken once, so that a test which replaces the timers of its world does not stop the stores in it.
const { setImmediate } = globalThis;

/** Lets the event loop turn: what works in slices calls it between them. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Calls back when the event loop has turned. */
export function onNextTurn(callback: () => void): void {
  setImmediate(callback);
}
