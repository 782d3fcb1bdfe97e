/** The time that fair queuing goes by. Tests turn it by hand. */
export interface FlowClock {
  /** Milliseconds, never going back; what they count from does not matter. */
  now(): number;
  /** Calls back once. Gives the way to cancel. */
  after(ms: number, callback: () => void): () => void;
}

/** The machine's own; a timer does not keep the process alive. */
export const systemFlowClock: FlowClock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.ceil(ms));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
