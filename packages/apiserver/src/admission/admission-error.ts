import { type ApiError, newForbidden } from '@coxswain/apimachinery';
import type { AdmissionAttributes } from './admission.ts';

/** Returns the Forbidden error of a plug-in, with the details of the object being written. */
export function admissionForbidden(attributes: AdmissionAttributes, why: string): ApiError {
  const { name, object, resource } = attributes;
  const { name: own, generateName } = object?.metadata ?? {};
  // Upstream's name for objects without a name.
  const shown = name || own || generateName || 'Unknown';
  return newForbidden(resource.groupResource, shown, why);
}
