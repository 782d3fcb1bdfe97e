import type { Stats } from 'node:fs';
import type { HostPathVolumeSource } from '@coxswain/api/core/v1';
import { type FileSystem, hasCode, unlessMissing } from '../files/file-system.ts';
import type { PluginContext, VolumePlugin, VolumeSpec } from './volume-plugin.ts';

/** `hostPath`: a file or directory of the node, in a pod or as a PersistentVolume. Nothing is mounted, and nothing removed. */
export const hostPath = ({ files }: PluginContext): VolumePlugin => ({
  name: 'kubernetes.io/host-path',
  isRefreshed: false,
  usage: undefined,
  supports: (spec) => sourceOf(spec) !== undefined,
  async setUp({ spec }) {
    const { path = '', type = '' } = sourceOf(spec) ?? {};
    if (path.split('/').includes('..')) throw new Error(`invalid HostPath \`${path}\`: must not contain '..'`);
    if (isOfOwnClass(spec)) await makeForEverybody(path, files);
    await checkType(path, type, files);
    return { path, readOnly: spec.readOnly };
  },
  async tearDown() {},
});

const sourceOf = ({ volume, persistentVolume }: VolumeSpec): HostPathVolumeSource | undefined =>
  volume?.hostPath ?? persistentVolume?.spec?.hostPath;

const provisionerAnnotation = 'pv.kubernetes.io/provisioned-by';
const ownProvisioner = 'coxswain.dev/host-path';

const isOfOwnClass = ({ persistentVolume }: VolumeSpec): boolean =>
  persistentVolume?.metadata.annotations?.[provisionerAnnotation] === ownProvisioner;

/**
 * Makes the directory of a new volume, with the permissions that it has in kind clusters: no pod knows how to get others. One that exists
 * is left as pods have made it.
 *
 * Differs from upstream: it has no such class, and makes directories for root only.
 */
async function makeForEverybody(path: string, files: FileSystem): Promise<void> {
  if (await unlessMissing(files.lstat(path))) return;
  const unfinished = `${path}.new`;
  await files.mkdir(unfinished, { recursive: true, mode: 0o755 });
  await files.chmod(unfinished, 0o777);
  await files.rename(unfinished, path);
}

type HostPathType = NonNullable<HostPathVolumeSource['type']>;

async function checkType(path: string, type: HostPathType, files: FileSystem): Promise<void> {
  if (type === '') return;
  if (!Object.hasOwn(kinds, type)) throw new Error(`${type} is an invalid volume type`);
  const stats = await statOf(path, files);
  if (!stats && type === 'DirectoryOrCreate') return void (await files.mkdir(path, { recursive: true, mode: 0o755 }));
  if (!stats && type === 'FileOrCreate') return await makeFile(path, files);
  const { is, text } = kinds[type];
  if (!stats || !is(stats)) throw new Error(`hostPath type check failed: ${path} is not a ${text}`);
}

interface Kind {
  readonly is: (stats: Stats) => boolean;
  readonly text: string;
}

const directory: Kind = { is: (stats) => stats.isDirectory(), text: 'directory' };
const file: Kind = { is: (stats) => stats.isFile(), text: 'file' };

const kinds: Readonly<Record<Exclude<HostPathType, ''>, Kind>> = {
  Directory: directory,
  DirectoryOrCreate: directory,
  File: file,
  FileOrCreate: file,
  Socket: { is: (stats) => stats.isSocket(), text: 'socket file' },
  CharDevice: { is: (stats) => stats.isCharacterDevice(), text: 'character device' },
  BlockDevice: { is: (stats) => stats.isBlockDevice(), text: 'block device' },
};

/** Undefined if there is nothing, or if it cannot be looked at. */
async function statOf(path: string, files: FileSystem): Promise<Stats | undefined> {
  try {
    return await files.stat(path);
  } catch {
    return undefined;
  }
}

async function makeFile(path: string, files: FileSystem): Promise<void> {
  try {
    await files.writeFile(path, '', { flag: 'ax', mode: 0o644 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}
