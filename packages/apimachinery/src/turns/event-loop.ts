/**
 * The event loop as a parameter: when long work lets others run, and how. Whatever works in slices takes one, so that a
 * program which must do the same again in the same order can hand in one that does not depend on how fast the machine is.
 */
export interface EventLoop {
  /** Milliseconds of work; only differences mean something. A slice of work ends when its time is over. */
  workedMs(): number;
  /** Calls back in a later turn: after everything that is ready now. In the order of the calls. */
  onNextTurn(callback: () => void): void;
}

// Taken once: a test that replaces the timers of its process does not stop what works in slices. Browsers have none.
const { setImmediate: immediate }: { setImmediate?: (callback: () => void) => unknown } = globalThis as object;

/** The thread's own event loop; work is measured by the time that it takes. */
export const systemEventLoop: EventLoop = {
  workedMs: () => performance.now(),
  onNextTurn(callback) {
    if (immediate) immediate(callback);
    else setTimeout(callback, 0);
  },
};

/** Resolves when everything that is ready now has had its turn. */
export function nextTurn(loop: EventLoop): Promise<void> {
  return new Promise((resolve) => loop.onNextTurn(resolve));
}
