import { type ErrorList, FieldError, type ObjectMeta } from '@coxswain/apimachinery';

/** On pods that the kubelet made from files of its own: they only mirror them. */
export const mirrorPodAnnotation = 'kubernetes.io/config.mirror';

export const isMirrorPod = ({ annotations }: ObjectMeta): boolean =>
  annotations !== undefined && Object.hasOwn(annotations, mirrorPodAnnotation);

/** Something that cannot be done with the pod at all: upstream names an empty path. */
export const refusePod = (detail: string): ErrorList => [new FieldError('FieldValueForbidden', '[]', '', detail)];
