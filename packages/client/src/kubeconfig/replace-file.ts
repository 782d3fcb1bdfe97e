import { chown, open, realpath, rename, stat } from 'node:fs/promises';
import { withTemporaryFile } from './temporary-file.ts';

/**
 * Replaces a file atomically: readers see either the old or the new text. A new file gets mode 0600. An existing one
 * keeps its owner and mode, and a symbolic link is kept.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const before = await stat(target).catch(() => undefined);
  await withTemporaryFile(target, async (temporary) => {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      if (before) await file.chmod(before.mode & 0o777);
      await file.sync();
    } finally {
      await file.close();
    }
    // Only root can change the owner. For other users the new file already has the right one.
    if (before) await chown(temporary, before.uid, before.gid).catch(() => {});
    await rename(temporary, target);
  });
}
