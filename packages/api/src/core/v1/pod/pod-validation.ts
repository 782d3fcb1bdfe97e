import { type ErrorList, forbidden, nameIsDnsSubdomain, Path, validateObjectMeta } from '@coxswain/apimachinery';
import type { Container, Pod, PodSpec } from '../../../generated/core/v1.ts';
import { validateImageWhitespace } from './container/container.ts';
import { emptyPodSpec } from './containers.ts';
import { validateAnnotationsMatchFields, validatePodAnnotations } from './pod-annotations.ts';
import { validatePodSpec } from './pod-spec.ts';
import type { PodValidationOptions } from './validation-options.ts';

const metadataPath = Path.of('metadata');
const annotationsPath = metadataPath.child('annotations');
const specPath = Path.of('spec');

const volumesPath = specPath.child('volumes');

/** Validates annotations and spec, including the rules for pods that do not apply to templates. */
function validatePodAnnotationsAndSpec(pod: Pod, options: PodValidationOptions, errors: ErrorList): ErrorList {
  const { metadata, spec = emptyPodSpec } = pod;
  validatePodAnnotations(metadata.annotations, spec, annotationsPath, options, errors);
  validatePodSpec(spec, metadata, specPath, options, errors);
  if (!spec.serviceAccountName) validateNoTokens(spec, errors);
  validateImages('containers', spec.containers, errors);
  validateImages('initContainers', spec.initContainers, errors);
  return errors;
}

function validateNoTokens({ volumes }: PodSpec, errors: ErrorList): void {
  volumes?.forEach(({ projected }, v) => {
    projected?.sources?.forEach(({ serviceAccountToken }, s) => {
      if (!serviceAccountToken) return;
      const at = volumesPath.index(v).child('projected', 'sources').index(s);
      const detail = 'must not be specified when serviceAccountName is not set';
      errors.push(forbidden(at.child('serviceAccountToken'), detail));
    });
  });
}

function validateImages(list: string, containers: readonly Container[] | null | undefined, errors: ErrorList): void {
  containers?.forEach((container, i) => {
    validateImageWhitespace(container, specPath.child(list).index(i), errors);
  });
}

/** Applies the rules of create to an updated pod. Upstream does so after it has validated the change of metadata. */
export function validatePodMetadataAndSpec(pod: Pod, options: PodValidationOptions): ErrorList {
  const errors = validateObjectMeta(pod.metadata, true, nameIsDnsSubdomain, metadataPath);
  return validatePodAnnotationsAndSpec(pod, options, errors);
}

/** Validates a new pod, except for its metadata. */
export function validatePodCreate(pod: Pod, options: PodValidationOptions): ErrorList {
  const { metadata, spec = emptyPodSpec } = pod;
  const { ephemeralContainers, nodeName, schedulingGates } = spec;
  const errors = validatePodAnnotationsAndSpec(pod, options, []);
  if (ephemeralContainers && ephemeralContainers.length > 0)
    errors.push(forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create'));
  if (nodeName && schedulingGates && schedulingGates.length > 0)
    errors.push(forbidden(specPath.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'));
  validateAnnotationsMatchFields(metadata, spec, specPath, errors);
  return errors;
}
