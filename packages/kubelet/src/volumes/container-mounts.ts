import type { Container, Pod, VolumeMount } from '@coxswain/api/core/v1';
import type { Logger } from '@coxswain/client';
import type { ImageSpec, Mount, MountPropagation } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import type { VolumeSubPaths } from './files/volume-host.ts';
import type { UsableVolume } from './plugins/volume-plugin.ts';
import { checkedSubPath } from './sub-paths.ts';

/** What a container's mounts depend on besides its pod. */
export interface MountContext {
  readonly env: ReadonlyMap<string, string>;
  /** The images of the pod's image volumes, by the names of the volumes; an error for one that could not be pulled. */
  readonly imageVolumes: ReadonlyMap<string, { readonly ref: string } | Error>;
  readonly signal?: AbortSignal;
}

interface MountMakerOptions {
  readonly subPaths: VolumeSubPaths;
  readonly podDirectory: string;
  /** Undefined for a volume that is not mounted. */
  volume(name: string): (UsableVolume & { readonly directoryName: string }) | undefined;
  readonly logger: Logger;
  /** True if the runtime, with the pod's handler, can make all mounts below a mount read-only. */
  supportsRecursiveReadOnly(): Promise<boolean>;
}

/** Returns the mounts of a container in the form of CRI. Rejects with the reason for which the container cannot be created. */
export async function containerMounts(
  pod: Pod,
  container: Container,
  context: MountContext,
  options: MountMakerOptions,
): Promise<readonly Init<Mount>[]> {
  const mounts: Init<Mount>[] = [];
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const volume = options.volume(mount.name);
    if (!volume) throw new Error(`cannot find volume "${mount.name}" to mount into container "${container.name}"`);
    const subPath = checkedSubPath(mount, context.env);
    const image = imageOf(pod, mount.name, context);
    const target: MountedPart = { mount, index, subPath, path: volume.path, volumeName: volume.directoryName };
    mounts.push({
      containerPath: mount.mountPath.startsWith('/') ? mount.mountPath : `/${mount.mountPath}`,
      ...(image
        ? { image, imageSubPath: subPath }
        : { hostPath: await hostPathOf(target, pod, container, context, options) }),
      readonly: mount.readOnly === true || volume.readOnly,
      recursiveReadOnly: await isRecursiveReadOnly(mount, options),
      propagation: propagationOf(mount),
    });
  }
  return mounts;
}

interface MountedPart {
  readonly mount: VolumeMount;
  readonly index: number;
  readonly subPath: string;
  /** Of the whole volume. */
  readonly path: string;
  readonly volumeName: string;
}

async function hostPathOf(
  { mount, index, subPath, path, volumeName }: MountedPart,
  pod: Pod,
  container: Container,
  { signal }: MountContext,
  { subPaths, podDirectory, logger }: MountMakerOptions,
): Promise<string> {
  if (path === '') throw new Error(`volume "${mount.name}" has no path on the node`);
  if (subPath === '') return path;
  /** The error itself may tell about the node, so people who made the pod do not get it. */
  const hidden = async <T>(what: string, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      signal?.throwIfAborted();
      const message = `failed to ${what} for volumeMount "${mount.name}" of container "${container.name}"`;
      logger.error('Failed to make part of volume available', error, { pod, container: container.name, subPath });
      throw new Error(message, { cause: error });
    }
  };
  await hidden('create subPath directory', subPaths.makeDirectory(path, subPath));
  const part = {
    volumePath: path,
    subPath,
    podDirectory,
    volumeName,
    containerName: container.name,
    volumeMountIndex: index,
  };
  return await hidden('prepare subPath', subPaths.prepare(part, signal));
}

/** Undefined for a volume that is no image. Throws the reason for which an image is missing. */
function imageOf({ spec }: Pod, volume: string, { imageVolumes }: MountContext): Init<ImageSpec> | undefined {
  const image = imageVolumes.get(volume);
  if (image instanceof Error) throw image;
  const userSpecifiedImage = spec?.volumes?.find(({ name }) => name === volume)?.image?.reference ?? '';
  return image && { image: image.ref, userSpecifiedImage };
}

const propagations: Readonly<Record<string, MountPropagation>> = {
  None: 'PROPAGATION_PRIVATE',
  HostToContainer: 'PROPAGATION_HOST_TO_CONTAINER',
  Bidirectional: 'PROPAGATION_BIDIRECTIONAL',
};

function propagationOf({ mountPropagation = 'None' }: VolumeMount): MountPropagation {
  const propagation = propagations[mountPropagation];
  if (!propagation) throw new Error(`invalid MountPropagation mode: "${mountPropagation}"`);
  return propagation;
}

async function isRecursiveReadOnly(mount: VolumeMount, options: MountMakerOptions): Promise<boolean> {
  const { name, recursiveReadOnly: mode = 'Disabled', readOnly, mountPropagation = 'None' } = mount;
  if (mode === 'Disabled') return false;
  const fail = (why: string): never => {
    throw new Error(`failed to resolve recursive read-only mode: ${why}`);
  };
  const requested = `volume "${name}" requested recursive read-only mode, but it is not`;
  if (!readOnly) return fail(`${requested} read-only`);
  if (mountPropagation !== 'None') return fail(`${requested} compatible with propagation "${mountPropagation}"`);
  const isSupported = await options.supportsRecursiveReadOnly();
  if (mode === 'IfPossible') return isSupported;
  if (mode !== 'Enabled') return fail(`unknown recursive read-only mode "${mode}"`);
  return isSupported || fail(`${requested} supported by the runtime`);
}
