import type { Steps } from './steps.ts';

/** A computation that takes longer than this goes on in slices. */
export const SLICE_MS = 5;

/** Completes a computation; every few milliseconds others run. */
export async function inSlices<T>(steps: Steps<T>, now: () => number = () => performance.now()): Promise<T> {
  let sliceEnd = now() + SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (now() <= sliceEnd) continue;
    await letOthersRun();
    sliceEnd = now() + SLICE_MS;
  }
}

/** Waits until all that is ready had its turn. */
export function letOthersRun(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => resolve(undefined)));
}
