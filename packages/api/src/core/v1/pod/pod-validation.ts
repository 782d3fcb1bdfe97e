import { type ErrorList, forbidden, nameIsDnsSubdomain, Path, validateObjectMeta } from '@coxswain/apimachinery';
import type { Pod } from '../../../generated/core/v1.ts';
import { validateImageWhitespace } from './container.ts';
import { validateAnnotationsMatchFields, validatePodAnnotations } from './pod-annotations.ts';
import { validatePodSpec } from './pod-spec.ts';
import type { PodValidationOptions } from './validation-options.ts';

const metadataPath = Path.of('metadata');
const annotationsPath = metadataPath.child('annotations');
const specPath = Path.of('spec');

/** Annotations and spec, with what is asked of pods and not of templates. */
function validatePodAnnotationsAndSpec(pod: Pod, options: PodValidationOptions): ErrorList {
  const spec = pod.spec ?? { containers: [] };
  const errors = [
    ...validatePodAnnotations(pod.metadata.annotations, spec, annotationsPath, options),
    ...validatePodSpec(spec, pod.metadata, specPath, options),
  ];
  if (!spec.serviceAccountName)
    spec.volumes?.forEach(({ projected }, v) => {
      projected?.sources?.forEach(({ serviceAccountToken }, s) => {
        if (!serviceAccountToken) return;
        const at = specPath.child('volumes').index(v).child('projected', 'sources').index(s);
        const detail = 'must not be specified when serviceAccountName is not set';
        errors.push(forbidden(at.child('serviceAccountToken'), detail));
      });
    });
  for (const list of ['containers', 'initContainers'] as const)
    spec[list]?.forEach((container, i) => {
      errors.push(...validateImageWhitespace(container, specPath.child(list).index(i)));
    });
  return errors;
}

/** What upstream asks of a changed pod as of a new one, once more after it has looked at the change of its metadata. */
export const validatePodMetadataAndSpec = (pod: Pod, options: PodValidationOptions): ErrorList => [
  ...validateObjectMeta(pod.metadata, true, nameIsDnsSubdomain, metadataPath),
  ...validatePodAnnotationsAndSpec(pod, options),
];

/** A new pod, beside its metadata. */
export function validatePodCreate(pod: Pod, options: PodValidationOptions): ErrorList {
  const spec = pod.spec ?? { containers: [] };
  const errors = validatePodAnnotationsAndSpec(pod, options);
  if ((spec.ephemeralContainers ?? []).length > 0)
    errors.push(forbidden(specPath.child('ephemeralContainers'), 'cannot be set on create'));
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0)
    errors.push(forbidden(specPath.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'));
  errors.push(...validateAnnotationsMatchFields(pod.metadata, spec, specPath));
  return errors;
}
