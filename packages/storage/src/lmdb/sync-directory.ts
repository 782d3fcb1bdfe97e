import { open } from 'node:fs/promises';

/**
 * Makes durable which files a directory has. Does nothing on Windows, where directories cannot be synced: NTFS has a journal of its own
 * for names.
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
