/** How often it is looked whether the process rests. V8 looks at what was allocated in the last 5 s: see below. */
const intervalMs = 6000;
/** A process rests while it takes less than this part of a core. */
const restingShare = 0.02;
/**
 * The first collection finds the garbage. V8 gives up the space for new objects only when it sees that few are made: that is what
 * the second one, an interval later, is for.
 */
const collectionsPerRest = 2;
/** To collect takes about a millisecond for each MiB in use, in which nothing else is done. */
const mostUsedMiB = 128;

/** What is needed of the process. */
export interface CollectedProcess {
  /** CPU time until now. */
  cpuMs(): number;
  /** What is in use of the heap, garbage that was not found yet included. */
  heapUsedMiB(): number;
  /** Collects all garbage, at once. */
  collect(): void;
  /** Calls back again and again until what it returns is called. Does not keep the process alive. */
  every(ms: number, callback: () => void): () => void;
}

/**
 * Collects garbage when a process that was busy has come to rest. V8 collects when there was much to allocate, and so a process
 * that does nothing after it was busy would hold for good what that took: twice what it needs.
 */
export function collectAtRest(process: CollectedProcess): () => void {
  let left = collectionsPerRest;
  let lastCpuMs = process.cpuMs();
  return process.every(intervalMs, () => {
    const isResting = process.cpuMs() - lastCpuMs < restingShare * intervalMs;
    if (!isResting) left = collectionsPerRest;
    else if (left > 0 && process.heapUsedMiB() < mostUsedMiB) {
      left--;
      process.collect();
    }
    // What collecting took does not count.
    lastCpuMs = process.cpuMs();
  });
}
