import { statfs } from 'node:fs/promises';
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
  const { imageFilesystems } = await images.imageFsInfo({}, { signal, timeoutMs });
  // As upstream, which asks for the first one only.
  const mountpoint = imageFilesystems[0]?.fsId?.mountpoint;
  if (!mountpoint) throw new Error('imageFs information is unavailable');
  const { bsize, blocks, bavail } = await statfs(mountpoint);
  return { capacityBytes: blocks * bsize, availableBytes: bavail * bsize };
}
