import type { VolumeMounter } from '../files/volume-host.ts';
import { escapePluginName } from '../pod-directories.ts';
import { tearDownMount } from './tear-down-directory.ts';
import type { PluginContext, VolumePlugin } from './volume-plugin.ts';

const pluginName = 'kubernetes.io/local-volume';

/** `local`: a PersistentVolume that is a directory of this node, perhaps the place where a disk is mounted. */
export const local = ({ host, files, directories }: PluginContext): VolumePlugin => ({
  name: pluginName,
  isRefreshed: false,
  usage: 'statfs',
  supports: ({ persistentVolume }) => persistentVolume?.spec?.local !== undefined,
  async setUp({ spec, directory, fsGroup, onlyOnRootMismatch, signal }) {
    const { path = '' } = spec.persistentVolume?.spec?.local ?? {};
    if (path === '') throw new Error(`LocalVolume volume "${spec.name}" path is empty`);
    if (path.split('/').includes('..')) throw new Error(`invalid path: ${path} must not contain '..'`);
    const usable = { path: directory, readOnly: spec.readOnly };
    if (await host.mounter.isMountPoint(directory)) return usable;
    // Differs from upstream: it formats and mounts block devices.
    if (!(await files.stat(path)).isDirectory()) throw new Error('only directories are supported');
    await files.mkdir(directory, { recursive: true, mode: 0o750 });
    // Another pod that uses the volume may need the group that it has.
    const isShared = await isMountedElsewhere(spec.name, host.mounter, directories.pods);
    if (fsGroup !== undefined && !spec.readOnly && !isShared) {
      const policy = onlyOnRootMismatch ? 'OnRootMismatch' : 'Always';
      await host.setVolumeOwnership(await files.realpath(path), { fsGroup, policy, signal });
    }
    await host.mounter.bindMount({ source: path, target: directory, readOnly: spec.readOnly }, signal);
    return usable;
  },
  tearDown: ({ directory }) => tearDownMount(directory, host.mounter, files),
});

async function isMountedElsewhere(volume: string, mounter: VolumeMounter, pods: string): Promise<boolean> {
  const mounts = await mounter.mountsBelow(pods);
  return mounts.some(({ mountPoint }) => mountPoint.endsWith(`/volumes/${escapePluginName(pluginName)}/${volume}`));
}
