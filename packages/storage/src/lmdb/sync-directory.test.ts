import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { syncDirectory } from './sync-directory.ts';

it('syncs a directory, but not on Windows, where that would be an error', async () => {
  await syncDirectory(tmpdir());
  const missing = join(tmpdir(), 'no', 'such', 'directory');
  await expect(syncDirectory(missing, 'linux')).rejects.toThrow('ENOENT');
  await syncDirectory(missing, 'win32');
});
