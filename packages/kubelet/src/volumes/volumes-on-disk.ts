import { join } from 'node:path';
import type { FileSystem } from './files/file-system.ts';
import { unlessMissing } from './files/file-system.ts';
import { type PodDirectories, unescapePluginName } from './pod-directories.ts';

/** A directory of a volume that is there, whoever made it. */
interface FoundVolume {
  readonly plugin: string;
  readonly name: string;
  readonly directory: string;
}

/** Finds the volumes of a pod by their directories. Looks only at what the kubelet has made: never into a volume. */
export async function volumesOnDisk(
  podUid: string,
  directories: PodDirectories,
  files: FileSystem,
): Promise<readonly FoundVolume[]> {
  const found: FoundVolume[] = [];
  const volumes = directories.volumes(podUid);
  for (const plugin of await directoriesIn(volumes, files)) {
    for (const name of await directoriesIn(join(volumes, plugin), files)) {
      found.push({ plugin: unescapePluginName(plugin), name, directory: join(volumes, plugin, name) });
    }
  }
  return found;
}

/** Returns the names of the directories in one, of none if it does not exist. Symbolic links to directories are left out. */
export async function directoriesIn(directory: string, files: FileSystem): Promise<readonly string[]> {
  const entries = await unlessMissing(files.readdir(directory, { withFileTypes: true }));
  return (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
