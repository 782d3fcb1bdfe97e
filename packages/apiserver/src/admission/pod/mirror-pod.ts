import type { Pod } from '@coxswain/api/core/v1';

/** The annotation of mirror pods, which nodes create for their static pods. */
export const mirrorPodAnnotation = 'kubernetes.io/config.mirror';

export const isMirrorPod = ({ metadata }: Pod): boolean =>
  metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, mirrorPodAnnotation);
