import { rename, rm, writeFile } from 'node:fs/promises';

/** Returns the name of a file while it is being written. A killed process leaves it behind, and the next cluster deletes it. */
export const draftOf = (path: string): string => `${path}.new`;

/** Replaces a file atomically, for concurrent readers. Only its owner can read it. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await rm(draftOf(path), { force: true });
  await writeFile(draftOf(path), text, { mode: 0o600 });
  await rename(draftOf(path), path);
}
