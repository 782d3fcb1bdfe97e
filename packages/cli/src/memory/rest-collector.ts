/** The interval of checks. V8 considers the allocations of the last 5 s: see below. */
const intervalMs = 6000;
/** A process is idle while it uses less than this part of a core. */
const restingShare = 0.02;
/**
 * The first collection frees the garbage. V8 shrinks the space for new objects only when it sees few allocations, which is the purpose of
 * the second one, an interval later.
 */
const collectionsPerRest = 2;
/** A collection takes about a millisecond for each MiB in use, and blocks the process. */
const mostUsedMiB = 128;

/** The functions of the process that are used here. */
export interface CollectedProcess {
  /** Returns the CPU time used so far. */
  cpuMs(): number;
  /** Returns the used heap, including uncollected garbage. */
  heapUsedMiB(): number;
  /** Collects all garbage synchronously. */
  collect(): void;
  /** Calls back at an interval until the returned function is called. Does not keep the process alive. */
  every(ms: number, callback: () => void): () => void;
}

/**
 * Collects garbage when a busy process becomes idle. V8 collects after many allocations, so a process that is idle after it was busy would
 * keep that memory: twice what it needs. Returns a function that ends it.
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
    // The CPU time of the collection itself does not count.
    lastCpuMs = process.cpuMs();
  });
}
