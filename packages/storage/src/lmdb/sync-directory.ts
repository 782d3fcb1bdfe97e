import { open } from 'node:fs/promises';

/**
 * Syncs a directory, so that its file names are durable. Does nothing on Windows, where directories cannot be synced: NTFS journals names
 * itself.
 */
export async function syncDirectory(path: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  if (platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
