/**
 * The event loop as a parameter: when and how long work yields to other work. Code that works in slices takes an EventLoop, so that a
 * program that must repeat the same sequence can pass one that does not depend on the speed of the machine.
 */
export interface EventLoop {
  /** Milliseconds of work; only differences are meaningful. A slice of work ends when its time is over. */
  workedMs(): number;
  /** Calls `callback` in a later turn, after everything that is ready now. Callbacks are called in the order of registration. */
  onNextTurn(callback: () => void): void;
}

// Read once, so that a test that replaces the timers of its process does not stop work in slices. Browsers have no setImmediate.
const { setImmediate: immediate }: { setImmediate?: (callback: () => void) => unknown } = globalThis as object;

/** The thread's own event loop. Work is measured by elapsed time. */
export const systemEventLoop: EventLoop = {
  workedMs: () => performance.now(),
  onNextTurn(callback) {
    if (immediate) immediate(callback);
    else setTimeout(callback, 0);
  },
};

/** Resolves after everything that is ready now has run. */
export function nextTurn(loop: EventLoop): Promise<void> {
  return new Promise((resolve) => loop.onNextTurn(resolve));
}
