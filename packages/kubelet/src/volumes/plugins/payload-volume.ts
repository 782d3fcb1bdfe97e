import { join } from 'node:path';
import type { EmptyDirVolumeSource } from '@coxswain/api/core/v1';
import { writeAtomically } from '../files/atomic-writer.ts';
import type { Payload } from '../files/payload.ts';
import { EmptyDirectory } from './empty-directory.ts';
import { nestedMountPoints } from './nested-mount-points.ts';
import type { PluginContext, SetUpRequest, UsableVolume, VolumePlugin } from './volume-plugin.ts';

interface PayloadVolumeOptions extends Pick<VolumePlugin, 'name' | 'supports'> {
  readonly medium: EmptyDirVolumeSource['medium'];
  /** Returns the files that the volume must have. Rejects with the reason why it cannot be known. */
  payload(request: SetUpRequest): Promise<Payload>;
  /** Called after a volume has been removed. */
  onTearDown?(podUid: string): void;
}

/** A kind of volumes with files that the kubelet writes, and containers only read. */
export function payloadVolume(context: PluginContext, options: PayloadVolumeOptions): VolumePlugin {
  const { name, supports, medium, onTearDown } = options;
  const directory = new EmptyDirectory(context);
  const noteName = (volume: string): string => `wrapped_${volume}`;
  return {
    name,
    isRefreshed: true,
    usage: 'walk',
    supports,
    async setUp(request): Promise<UsableVolume> {
      const payload = await options.payload(request);
      await directory.setUp(request, { ...(medium !== undefined && { medium }) }, noteName(request.name));
      await makeNestedMountPoints(request, context);
      await writePayload(request, payload, context);
      return { path: request.directory, readOnly: true };
    },
    async tearDown(volume) {
      await directory.tearDown(volume, noteName(volume.name));
      onTearDown?.(volume.podUid);
    },
  };
}

/** The volume is read-only for the runtime too, so it can't make the directories that other volumes are mounted on. */
async function makeNestedMountPoints({ pod, spec, directory }: SetUpRequest, { files }: PluginContext): Promise<void> {
  for (const path of nestedMountPoints(pod, spec.name)) {
    await files.mkdir(join(directory, path), { recursive: true, mode: 0o755 });
  }
}

async function writePayload(request: SetUpRequest, payload: Payload, context: PluginContext): Promise<void> {
  const { directory, fsGroup, signal } = request;
  const { files, clock, host } = context;
  const setOwnership = async (): Promise<void> => {
    if (fsGroup === undefined) return;
    // Of the whole volume: the first time, its own directory has no owner yet.
    await host.setVolumeOwnership(directory, { fsGroup, readOnly: true, signal });
  };
  await writeAtomically(directory, payload, { files, clock, setOwnership });
}
