import type { Clock } from '@coxswain/apimachinery/clock';
import type { CoreEventRecorder } from './core-event-recorder.ts';

/** How long a recorder may still write when its component has ended. */
const flushMs = 3_000;

/** Ends a recorder when all that was recorded is written, or the server takes too long for it. */
export async function stopRecorder(recorder: Pick<CoreEventRecorder, 'finish' | 'stop'>, clock: Clock): Promise<void> {
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(), flushMs);
  // Who is late has nothing more to say: what is left is dropped.
  await recorder.finish(late.signal).catch(() => {});
  timer.cancel();
  await recorder.stop();
}
