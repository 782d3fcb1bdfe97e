import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerConfig, Mount } from '@coxswain/cri';
import { Mount as mountMessage } from '@coxswain/cri';
import { RpcError } from '@coxswain/grpc';
import type { StoredImage } from '../images/image-store.ts';
import { runChecked } from '../machinery/index.ts';
import type { Container } from '../model/index.ts';
import { pathInRoot } from '../oci/index.ts';
import type { RuntimeContext } from './runtime-context.ts';

/** Ids of the images that are mounted as volumes of a container. */
const volumeId = (containerId: string, index: number): string => `${containerId}.${index}`;

/** The container that a root file system or a mounted image belongs to. */
export const ownerOf = (rootFileSystemId: string): string => rootFileSystemId.split('.', 1)[0] ?? '';

/** Mounts the images that are volumes, and returns all mounts with paths of the node. */
export async function mountImages(
  { images, rootFileSystems }: RuntimeContext,
  id: string,
  mounts: ContainerConfig['mounts'],
  signal: AbortSignal,
): Promise<Mount[]> {
  const resolved: Mount[] = [];
  for (const [index, mount] of mounts.entries()) {
    const name = mount.image?.image ?? '';
    if (name === '') {
      resolved.push(mount);
      continue;
    }
    const image = await images.find(name);
    if (!image)
      throw new RpcError('NotFound', `failed to ensure image mount: image ${JSON.stringify(name)}: not found`);
    const { path } = await rootFileSystems.makeReadOnly(volumeId(id, index), image.id, signal);
    resolved.push({ ...mount, image: undefined, hostPath: await subPathOf(path, mount.imageSubPath), readonly: true });
  }
  return resolved;
}

async function subPathOf(root: string, subPath: string): Promise<string> {
  if (subPath === '') return root;
  const path = await pathInRoot(root, subPath);
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isDirectory())
    throw new Error(`failed to mount image subpath ${JSON.stringify(subPath)}: not a directory in the image`);
  return path;
}

/** Unmounts all images of a container, and its root file system. */
export async function unmountImages({ rootFileSystems }: RuntimeContext, containerId: string): Promise<void> {
  const ids = (await rootFileSystems.list()).filter((id) => ownerOf(id) === containerId);
  for (const id of ids) await rootFileSystems.remove(id);
}

/**
 * A directory of its own for each volume that the image declares and nothing is mounted at, with the content of the image. It lives as long
 * as the container.
 */
export async function declaredVolumes(
  { commands }: RuntimeContext,
  container: Pick<Container, 'directory' | 'config'>,
  { configuration }: StoredImage,
  rootPath: string,
): Promise<Mount[]> {
  const taken = new Set(container.config.mounts.map(({ containerPath }) => containerPath.replace(/\/$/, '')));
  const paths = Object.keys(configuration.config.Volumes ?? {}).filter((path) => !taken.has(path.replace(/\/$/, '')));
  const mounts: Mount[] = [];
  for (const [index, containerPath] of paths.entries()) {
    const hostPath = join(container.directory, 'volumes', String(index));
    await mkdir(hostPath, { recursive: true });
    const source = await pathInRoot(rootPath, containerPath);
    const stats = await lstat(source).catch(() => undefined);
    if (stats?.isDirectory()) await runChecked(commands, ['cp', '-a', '-T', '--', source, hostPath]);
    mounts.push(mountMessage.complete({ containerPath, hostPath }));
  }
  return mounts;
}
