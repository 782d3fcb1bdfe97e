import { type LookupAddress, promises } from 'node:dns';
import { lookupError } from './connection-error.ts';

/**
 * Lookups at one time. Each takes a thread of the pool that file system calls need too, for as long as name servers don't answer; and pods
 * choose the names.
 */
const maxLookups = 2;

let running = 0;
/** Lookups that wait for their turn. Each is called once, unless its signal was aborted before. */
const waiting = new Set<() => void>();

/** Returns the addresses of a host name. Rejects with the reason of the signal when it is aborted, though the lookup may still be going on. */
export async function lookUp(host: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
  await turn(signal);
  // The next one has its turn when the thread is free again, not when the caller has given up.
  const addresses = promises.lookup(host, { all: true }).finally(done);
  return await new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    addresses
      .then(resolve, (error: unknown) => reject(lookupError(error, host)))
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

async function turn(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (running >= maxLookups) {
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        waiting.delete(start);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.add(start);
    });
  } else running++;
}

/** Gives the turn to the next one. */
function done(): void {
  const [next] = waiting;
  if (next) {
    waiting.delete(next);
    next();
  } else running--;
}
