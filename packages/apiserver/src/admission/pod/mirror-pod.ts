import type { Pod } from '@coxswain/api/core/v1';

/** Marks what a node tells of a pod that it runs by itself. */
export const mirrorPodAnnotation = 'kubernetes.io/config.mirror';

export const isMirrorPod = ({ metadata }: Pod): boolean =>
  metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, mirrorPodAnnotation);
