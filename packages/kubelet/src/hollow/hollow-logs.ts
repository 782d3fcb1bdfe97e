import { timeFromDate } from '@coxswain/apimachinery/time';
import { type Clock, childSignal, sleep } from '@coxswain/client';
import type { LogOptions } from '../logs/container-logs.ts';
import type { HollowContainer, LogLine } from './hollow-container.ts';

/** Yields the container's log. With `follow`, later lines are yielded at their times until the container ends. */
export async function* hollowLogs(
  container: HollowContainer,
  options: LogOptions,
  clock: Clock,
  whenDied: (signal: AbortSignal) => Promise<void>,
): AsyncIterable<Uint8Array> {
  const { follow = false, limitBytes = Number.POSITIVE_INFINITY, signal } = options;
  const encoder = new TextEncoder();
  let bytes = 0;
  const piece = (text: string): Uint8Array => {
    const whole = encoder.encode(text).subarray(0, limitBytes - bytes);
    bytes += whole.length;
    return whole;
  };
  const lines = container.logLines();
  const said = lines.filter(({ atMs }) => atMs <= clock.now());
  const text = textOf(said, options);
  if (text !== '') yield piece(text);
  if (!follow || bytes >= limitBytes) return;
  const { signal: over, abort } = childSignal({ parent: signal });
  const dead = whenDied(over).then(() => abort());
  try {
    for (const line of lines.slice(said.length)) {
      const waitMs = line.atMs - clock.now();
      if (waitMs > 0) await sleep(clock, waitMs, over).catch(() => {});
      // Lines that are due after the container's end are not printed.
      if (!container.isRunning && line.atMs > container.finishedAtMs) break;
      if (signal?.aborted) break;
      yield piece(textOf([line], { ...options, tailLines: undefined }));
      if (bytes >= limitBytes) return;
    }
    await dead;
  } finally {
    abort();
  }
}

function textOf(lines: readonly LogLine[], { tailLines, sinceMs, timestamps }: LogOptions): string {
  const recent = sinceMs === undefined ? lines : lines.filter(({ atMs }) => atMs >= sinceMs);
  const wanted = tailLines === undefined ? recent : recent.slice(Math.max(0, recent.length - tailLines));
  const stamp = (atMs: number): string => (timestamps ? `${timeFromDate(new Date(atMs))} ` : '');
  return wanted.map(({ atMs, text }) => `${stamp(atMs)}${text}\n`).join('');
}
