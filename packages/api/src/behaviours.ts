import { behaviour as admissionregistrationV1 } from './admissionregistration/v1/index.ts';
import { behaviour as admissionregistrationV1alpha1 } from './admissionregistration/v1alpha1/index.ts';
import { behaviour as admissionregistrationV1beta1 } from './admissionregistration/v1beta1/index.ts';
import type { GroupVersionBehaviour } from './strategy/strategy.ts';

/** The code of every group version that has any, one folder each. */
export const behaviours: readonly GroupVersionBehaviour[] = [
  admissionregistrationV1,
  admissionregistrationV1alpha1,
  admissionregistrationV1beta1,
];
