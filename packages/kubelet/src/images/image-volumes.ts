import type { Pod } from '@coxswain/api/core/v1';
import { StartError } from '../runtime/start-error.ts';
import type { ImagePuller, PresentImage, PullContext } from './image-puller.ts';

/** Images that a pod mounts as volumes, by volume name; an error for an image that could not be pulled. */
export type ImageVolumes = ReadonlyMap<string, PresentImage | StartError>;

/** Pulls the images that the pod mounts as volumes. Containers that don't mount a missing image can still start. */
export async function pullImageVolumes(pod: Pod, images: ImagePuller, context: PullContext): Promise<ImageVolumes> {
  const volumes = new Map<string, PresentImage | StartError>();
  for (const { name, image } of pod.spec?.volumes ?? []) {
    if (!image) continue;
    const needed = { image: image.reference ?? '', pullPolicy: image.pullPolicy };
    const result = await images.ensureImage(pod, needed, context).catch((error: unknown) => {
      if (error instanceof StartError) return error;
      throw error;
    });
    volumes.set(name, result);
  }
  return volumes;
}
