import type { Pod } from '@coxswain/api/core/v1';
import { StartError } from '../runtime/start-error.ts';
import type { ImagePuller, PresentImage, PullContext } from './image-puller.ts';

/** Images that are volumes of a pod, by the volumes' names: each one present, or the reason why it is not. */
export type ImageVolumes = ReadonlyMap<string, PresentImage | StartError>;

/** Pulls the images that are volumes of the pod. Containers that do not mount a missing one can be started all the same. */
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
