import type { Clock } from '@coxswain/apimachinery/clock';
import type { CoreEventRecorder } from './core-event-recorder.ts';

/** How long a recorder may continue to write after its component has ended. */
const flushMs = 3_000;

/** Stops a recorder when all recorded events are written, or after `flushMs`. */
export async function stopRecorder(recorder: Pick<CoreEventRecorder, 'finish' | 'stop'>, clock: Clock): Promise<void> {
  const late = new AbortController();
  const timer = clock.setTimeout(() => late.abort(), flushMs);
  // On timeout, the remaining events are dropped.
  await recorder.finish(late.signal).catch(() => {});
  timer.cancel();
  await recorder.stop();
}
