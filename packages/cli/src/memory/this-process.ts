import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CollectedProcess } from './rest-collector.ts';

let gc: (() => void) | undefined;

/** V8's own function for it, which only contexts have that are made while a flag is set. */
function exposedGc(): () => void {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc');
  } finally {
    // What was compiled is kept for the next start together with the flags, and only believed under the same.
    setFlagsFromString('--no-expose-gc');
  }
}

export const thisCollectedProcess: CollectedProcess = {
  cpuMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  heapUsedMiB: () => process.memoryUsage().heapUsed / 2 ** 20,
  collect() {
    gc ??= exposedGc();
    gc();
  },
  every(ms, callback) {
    const timer = setInterval(callback, ms).unref();
    return () => clearInterval(timer);
  },
};
