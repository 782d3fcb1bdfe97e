import { type ErrorList, type Path, required } from '@coxswain/apimachinery';
import type { EphemeralVolumeSource } from '../../../../generated/core/v1.ts';
import { validatePersistentVolumeClaimTemplate } from '../../persistent-volume-claim/index.ts';

/** Validates an ephemeral volume, for which a claim is created together with the pod. */
export function validateEphemeralVolumeSource(
  { volumeClaimTemplate: template }: EphemeralVolumeSource,
  path: Path,
): ErrorList {
  const at = path.child('volumeClaimTemplate');
  return template ? validatePersistentVolumeClaimTemplate(template, at) : [required(at)];
}
