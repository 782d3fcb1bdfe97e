import { type ErrorList, forbidden, jsonEquals, Path, quote } from '@coxswain/apimachinery';
import type { Pod } from '../../../../generated/core/v1.ts';
import { internalDiff } from '../../internal-form/internal-diff.ts';
import { emptyPodSpec } from '../containers.ts';
import { isMirrorPod, refusePod } from '../mirror-pod.ts';
import { validatePodAnnotationsUpdate } from '../pod-annotations.ts';
import { validatePodMetadataAndSpec } from '../pod-validation.ts';
import type { PodValidationOptions } from '../validation-options.ts';

const path = Path.of('spec', 'ephemeralContainers');
const annotationsPath = Path.of('metadata', 'annotations');

/** Validates an update of ephemeral containers: they may be added, but existing ones must not change. */
export function validateEphemeralContainersUpdate(pod: Pod, old: Pod, options: PodValidationOptions): ErrorList {
  if (isMirrorPod(old.metadata)) return refusePod('static pods do not support ephemeral containers');
  const spec = pod.spec ?? emptyPodSpec;
  const errors = [
    ...validatePodMetadataAndSpec(pod, options),
    ...validatePodAnnotationsUpdate(pod.metadata.annotations, old.metadata.annotations, spec, annotationsPath, options),
  ];
  for (const before of old.spec?.ephemeralContainers ?? []) {
    const name = quote(before.name ?? '');
    const after = spec.ephemeralContainers?.findLast((container) => container.name === before.name);
    if (!after) errors.push(forbidden(path, `existing ephemeral containers ${name} may not be removed\n`));
    else if (!jsonEquals(before, after)) {
      const difference = internalDiff('EphemeralContainer', before, after);
      errors.push(forbidden(path, `existing ephemeral containers ${name} may not be changed\n${difference}`));
    }
  }
  return errors;
}
