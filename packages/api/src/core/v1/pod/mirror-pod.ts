import { type ErrorList, FieldError, type ObjectMeta } from '@coxswain/apimachinery';

/** Set on mirror pods, which the kubelet creates for its static pods. */
export const mirrorPodAnnotation = 'kubernetes.io/config.mirror';

export const isMirrorPod = ({ annotations }: ObjectMeta): boolean =>
  annotations !== undefined && Object.hasOwn(annotations, mirrorPodAnnotation);

/** Returns an error about the whole pod; upstream prints an empty path. */
export const refusePod = (detail: string): ErrorList => [new FieldError('FieldValueForbidden', '[]', '', detail)];
