import { appendFileSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Terminal } from '@coxswain/component-base/cli';

/** One file before it is kept besides. */
const maxBytes = 10 * 1024 * 1024;

/** A terminal that is a file, for its owner alone. When it is large it becomes `FILE.1`, in place of the last one, and a new one begins. */
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
