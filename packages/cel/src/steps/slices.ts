import { type EventLoop, nextTurn, Turns } from '@coxswain/apimachinery/turns';
import type { Steps } from './steps.ts';

/** The length of a slice, and the time after which a computation continues in slices. */
export const SLICE_MS = 5;

/** Completes a computation in slices; between them the event loop runs. */
export function inSlices<T>(steps: Steps<T>, eventLoop: EventLoop): Promise<T> {
  return new Turns(eventLoop, SLICE_MS).complete(steps);
}

/** Waits for one turn of the event loop. */
export async function letOthersRun(eventLoop: EventLoop): Promise<undefined> {
  await nextTurn(eventLoop);
  return undefined;
}
