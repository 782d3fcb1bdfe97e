import {
  type Annotations,
  type ErrorList,
  forbidden,
  invalid,
  type ObjectMeta,
  type Path,
  quote,
} from '@coxswain/apimachinery';
import type { AppArmorProfile, PodSpec, SeccompProfile, Toleration } from '../../../generated/core/v1.ts';
import { sortedEntries } from './checks.ts';
import { containersWithPath, someContainer } from './containers.ts';
import { validateLocalDescendingPath } from './path-rules.ts';
import { validateTolerations } from './tolerations.ts';
import type { PodValidationOptions } from './validation-options.ts';

export const mirrorPodAnnotation = 'kubernetes.io/config.mirror';
export const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
export const seccompContainerAnnotationPrefix = 'container.seccomp.security.alpha.kubernetes.io/';
export const appArmorAnnotationPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const tolerationsAnnotation = 'scheduler.alpha.kubernetes.io/tolerations';
const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const localhostPrefix = 'localhost/';
