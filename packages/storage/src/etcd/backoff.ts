const initialDelayMs = 50;
const maxDelayMs = 5_000;

/** How long to wait before trying again after so many failures in a row: doubling, with jitter, bounded. */
export function backoffMs(failures: number, random: () => number): number {
  const delay = Math.min(maxDelayMs, initialDelayMs * 2 ** Math.max(0, failures - 1));
  return delay / 2 + (delay / 2) * random();
}
