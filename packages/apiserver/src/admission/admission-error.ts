import { type ApiError, newForbidden } from '@coxswain/apimachinery';
import type { AdmissionAttributes } from './admission.ts';

/** The 403 of a plug-in, about the object that the write is for. */
export function admissionForbidden(attributes: AdmissionAttributes, why: string): ApiError {
  const { name, object, resource } = attributes;
  const { name: own, generateName } = object?.metadata ?? {};
  // As upstream names what has no name yet.
  const shown = name || own || generateName || 'Unknown';
  return newForbidden(resource.groupResource, shown, why);
}
