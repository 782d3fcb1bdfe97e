import { type EventLoop, nextTurn, Turns } from '@coxswain/apimachinery/turns';
import type { Steps } from './steps.ts';

/** A computation that takes longer than this goes on in slices. */
export const SLICE_MS = 5;

/** Completes a computation; every few milliseconds others run. */
export function inSlices<T>(steps: Steps<T>, eventLoop: EventLoop): Promise<T> {
  return new Turns(eventLoop, SLICE_MS).complete(steps);
}

/** Waits until all that is ready had its turn. */
export async function letOthersRun(eventLoop: EventLoop): Promise<undefined> {
  await nextTurn(eventLoop);
  return undefined;
}
