const initialDelayMs = 50;
const maxDelayMs = 5_000;

/** Returns the delay before a retry after `failures` failures in a row: it doubles, with jitter, up to a maximum. */
export function backoffMs(failures: number, random: () => number): number {
  const delay = Math.min(maxDelayMs, initialDelayMs * 2 ** Math.max(0, failures - 1));
  return delay / 2 + (delay / 2) * random();
}
