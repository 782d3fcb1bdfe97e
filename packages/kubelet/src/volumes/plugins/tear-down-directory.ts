import { type FileSystem, unlessMissing } from '../files/file-system.ts';
import { removeTree } from '../files/remove-tree.ts';
import type { VolumeMounter } from '../files/volume-host.ts';

/**
 * Removes a volume's directory with its contents. What containers or the plug-in have mounted there is unmounted, not removed: if that
 * fails, the call rejects and nothing is removed.
 */
export async function tearDownDirectory(directory: string, mounter: VolumeMounter, files: FileSystem): Promise<void> {
  if (!(await unlessMissing(files.lstat(directory)))) return;
  await unmountAll(directory, mounter);
  await removeTree(directory, files);
}

/** Unmounts everything at and below a directory, and leaves the directory. */
async function unmountAll(directory: string, mounter: VolumeMounter): Promise<void> {
  for (const { mountPoint } of await mounter.mountsBelow(directory)) await mounter.unmount(mountPoint);
  while (await mounter.isMountPoint(directory)) await mounter.unmount(directory);
}

/** Unmounts a volume and removes the directory that it was mounted on. Contents are never removed: they are not the pod's own. */
export async function tearDownMount(directory: string, mounter: VolumeMounter, files: FileSystem): Promise<void> {
  if (!(await unlessMissing(files.lstat(directory)))) return;
  await unmountAll(directory, mounter);
  await files.rmdir(directory);
}
