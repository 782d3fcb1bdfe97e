import type { Pod } from '@coxswain/api/core/v1';
import { StartError } from '../runtime/start-error.ts';
import type { ImagePuller } from './image-puller.ts';

/**
 * Pulls the images that are volumes of the pod. Answers which could not be had, by the volumes' names: containers that do not
 * mount them can be started all the same.
 */
export async function pullImageVolumes(pod: Pod, images: ImagePuller): Promise<Map<string, StartError>> {
  const missing = new Map<string, StartError>();
  for (const { name, image } of pod.spec?.volumes ?? []) {
    if (!image) continue;
    try {
      await images.ensureImage(pod, { image: image.reference ?? '', pullPolicy: image.pullPolicy });
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      missing.set(name, error);
    }
  }
  return missing;
}
