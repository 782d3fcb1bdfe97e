import { chown, open, realpath, rename, stat } from 'node:fs/promises';
import { withTemporaryFile } from './temporary-file.ts';

/**
 * Puts a text in place of a file as a whole: whoever reads it finds the old one or the new one. A new file is for its
 * owner's eyes only; one that was there stays whose it was, with the rights it had, and a symbolic link stays one.
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
    // Only root can give files away; for others they are their own anyway.
    if (before) await chown(temporary, before.uid, before.gid).catch(() => {});
    await rename(temporary, target);
  });
}
