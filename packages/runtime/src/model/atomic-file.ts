import { open, rename, rm } from 'node:fs/promises';

/** Replaces a file at once: a reader, or a start after a crash, finds the old content or the new. */
export async function writeAtomically(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', mode);
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
  await rename(temporary, path).catch(async (error: unknown) => {
    await rm(temporary, { force: true });
    throw error;
  });
}
