import type { Clock, CoreEventRecorder } from '@coxswain/client';

/** How long a recorder may still write when whoever records has ended. */
const flushMs = 3_000;

/** Ends a recorder when all that was recorded is written, or the server takes too long for it. */
export async function stopRecorder(recorder: CoreEventRecorder, clock: Clock): Promise<void> {
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(), flushMs);
  // Who is late has nothing more to say: what is left is dropped.
  await recorder.finish(late.signal).catch(() => {});
  timer.cancel();
  await recorder.stop();
}
