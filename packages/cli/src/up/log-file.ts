import { appendFileSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Terminal } from '@coxswain/component-base/cli';

/** The size at which the file is rotated. */
const maxBytes = 10 * 1024 * 1024;

/**
 * Returns a terminal that writes to a file with mode 0600. A file that reaches the limit is renamed to `FILE.1`, which replaces the last
 * one, and a new one is started.
 */
export function logFile(path: string, limit = maxBytes): Terminal {
  const write = (text: string): void => {
    if (sizeOf(path) + Buffer.byteLength(text) > limit) rotate(path);
    appendFileSync(path, text, { mode: 0o600 });
  };
  return { out: write, err: write };
}

export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function rotate(path: string): void {
  if (sizeOf(path) === 0) return;
  rmSync(`${path}.1`, { force: true });
  renameSync(path, `${path}.1`);
}
