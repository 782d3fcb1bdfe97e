import { completed, type Steps } from '@coxswain/apimachinery';
import type { Turns } from '@coxswain/apimachinery/turns';

export { Turns } from '@coxswain/apimachinery/turns';

/** Whether it takes so long to work on an object, or its bytes, that others should have their turn in between. Most objects are smaller. */
export const isLarge = (bytes: Uint8Array): boolean => bytes.length > 16 * 1024;

/** Completes a computation in turns with others, or in one go where the request is a small one and has no turns. */
export const inTurns = <T>(turns: Turns | undefined, steps: Steps<T>): T | Promise<T> =>
  turns ? turns.complete(steps) : completed(steps);
