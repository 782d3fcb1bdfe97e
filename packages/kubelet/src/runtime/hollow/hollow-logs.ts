import { timeFromDate } from '@coxswain/apimachinery/time';
import type { LogOptions } from '../container-runtime.ts';
import type { HollowContainer } from './hollow-container.ts';

const nothingRuns = 'This container is hollow: nothing runs in it.';

/** What the container's annotation gives it to say, all at the moment it was started; then nothing until it ends. */
export async function* hollowLogs(
  container: HollowContainer,
  options: LogOptions,
  whenDied: (signal: AbortSignal) => Promise<void>,
): AsyncIterable<Uint8Array> {
  const { follow = false, signal = new AbortController().signal } = options;
  const text = textOf(container, options);
  if (text !== '') yield new TextEncoder().encode(text);
  if (follow) await whenDied(signal);
}

function textOf({ fate, startedAtMs }: HollowContainer, options: LogOptions): string {
  const { tailLines, sinceMs, timestamps, limitBytes } = options;
  if (startedAtMs === 0 || (sinceMs !== undefined && startedAtMs < sinceMs)) return '';
  const lines = (fate.logs ?? nothingRuns).replace(/\n$/, '').split('\n');
  const wanted = tailLines === undefined ? lines : lines.slice(Math.max(0, lines.length - tailLines));
  const stamp = timestamps ? `${timeFromDate(new Date(startedAtMs))} ` : '';
  const text = wanted.map((line) => `${stamp}${line}\n`).join('');
  return limitBytes === undefined ? text : Buffer.from(text).subarray(0, limitBytes).toString();
}
