import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CollectedProcess } from './rest-collector.ts';

let gc: (() => void) | undefined;

/** Returns V8's gc function, which exists only in contexts created while a flag is set. */
function exposedGc(): () => void {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc');
  } finally {
    // V8's code cache is only valid with the same flags, so the flag is reset.
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
