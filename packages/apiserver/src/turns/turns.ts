import { completed, type Steps } from '@coxswain/apimachinery';
import type { Turns } from '@coxswain/apimachinery/turns';

export { Turns } from '@coxswain/apimachinery/turns';

/** Returns whether an object's bytes are so many that work on it must yield to the event loop. Most objects are smaller. */
export const isLarge = (bytes: Uint8Array): boolean => bytes.length > 16 * 1024;

/** Completes a computation in slices that yield to the event loop, or synchronously for a small request, which has no turns. */
export const inTurns = <T>(turns: Turns | undefined, steps: Steps<T>): T | Promise<T> =>
  turns ? turns.complete(steps) : completed(steps);
