import { readdir } from 'node:fs/promises';
import { unlessNoEntry } from '../files/no-entry.ts';

/** Restart counts have 32 bits in CRI. */
const largest = 2 ** 31 - 2;

/** Returns one more than the number of the latest log in a container's directory; 0 if there is none. */
export async function restartCountByLogs(directory: string): Promise<number> {
  const entries = (await unlessNoEntry(readdir(directory, { withFileTypes: true }))) ?? [];
  const numbers = entries.map((entry) =>
    entry.isDirectory() ? undefined : /^(\d+)\.log(?:\..*)?/.exec(entry.name)?.[1],
  );
  return numbers.reduce((count, number) => {
    const next = Number(number ?? -1) + 1;
    return next <= largest ? Math.max(count, next) : count;
  }, 0);
}
