import { join } from 'node:path';
import { fileErrorMessage } from './files/file-error-message.ts';
import { type FileSystem, hasCode } from './files/file-system.ts';
import type { VolumeHost } from './files/volume-host.ts';
import { aggregateErrors } from './plugins/aggregate-errors.ts';
import { tearDownMount } from './plugins/tear-down-directory.ts';
import type { VolumePlugin } from './plugins/volume-plugin.ts';
import type { PodDirectories } from './pod-directories.ts';
import { directoriesIn, volumesOnDisk } from './volumes-on-disk.ts';

interface UnmountContext {
  readonly host: VolumeHost;
  readonly files: FileSystem;
  readonly directories: PodDirectories;
  readonly plugins: readonly VolumePlugin[];
  readonly signal: AbortSignal;
}

/**
 * Unmounts the volumes that a pod has on disk, whoever has mounted them, and removes those that are its own. Tries all, and then rejects
 * with what is wrong with those that are left.
 */
export async function unmountVolumes(podUid: string, context: UnmountContext): Promise<void> {
  const { host, files, directories, plugins, signal } = context;
  const problems: string[] = [];
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    signal.throwIfAborted();
    await work().catch((error: unknown) => {
      problems.push(fileErrorMessage(error));
    });
  };
  // Parts of volumes may be left of volumes that have no directory, such as those of hosts.
  for (const name of await directoriesIn(directories.subPaths(podUid), files)) {
    await attempt(() => host.subPaths.clean(directories.pod(podUid), name, signal));
  }
  for (const { plugin: pluginName, name, directory } of await volumesOnDisk(podUid, directories, files)) {
    const plugin = plugins.find((each) => each.name === pluginName);
    await attempt(async () => {
      if (plugin) await plugin.tearDown({ podUid, name, directory });
      // Made by a kubelet that knows more kinds. What is in it may not be the pod's own.
      else await tearDownMount(directory, host.mounter, files);
    });
  }
  aggregateErrors(problems);
  await removeEmptyDirectories(directories.volumes(podUid), files);
}

async function removeEmptyDirectories(volumes: string, files: FileSystem): Promise<void> {
  for (const plugin of await directoriesIn(volumes, files)) await removeIfEmpty(join(volumes, plugin), files);
  await removeIfEmpty(volumes, files);
}

async function removeIfEmpty(directory: string, files: FileSystem): Promise<void> {
  try {
    await files.rmdir(directory);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY')) throw error;
  }
}
