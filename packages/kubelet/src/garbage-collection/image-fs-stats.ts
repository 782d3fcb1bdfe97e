import { stat, statfs } from 'node:fs/promises';
import type { ImageService } from '@coxswain/cri';

/** The file system with the images, as far as garbage collection needs it. */
export interface FileSystemStats {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

const timeoutMs = 120_000;

/** Asks the runtime where it has its images, and the system how much room is there. Rejects if the runtime does not tell. */
export async function imageFsStats(
  images: Pick<ImageService, 'imageFsInfo'>,
  signal: AbortSignal,
): Promise<FileSystemStats> {
  const { bsize, blocks, bavail } = await statfs(await imageDirectory(images, signal));
  return { capacityBytes: blocks * bsize, availableBytes: bavail * bsize };
}

/** Returns whether images are on another file system than a directory. Rejects if the runtime does not tell where they are. */
export async function hasImageFileSystem(
  images: Pick<ImageService, 'imageFsInfo'>,
  directory: string,
): Promise<boolean> {
  const [ofImages, of] = await Promise.all([stat(await imageDirectory(images)), stat(directory)]);
  return ofImages.dev !== of.dev;
}

async function imageDirectory(images: Pick<ImageService, 'imageFsInfo'>, signal?: AbortSignal): Promise<string> {
  const { imageFilesystems } = await images.imageFsInfo({}, { signal, timeoutMs });
  // As upstream, which asks for the first one only.
  const mountpoint = imageFilesystems[0]?.fsId?.mountpoint;
  if (!mountpoint) throw new Error('imageFs information is unavailable');
  return mountpoint;
}
