import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { admissionForbidden } from './admission-error.ts';

function deny(attributes: AdmissionAttributes): never {
  throw admissionForbidden(attributes, 'admission control is denying all modifications');
}

/** Rejects every write. */
export const alwaysDeny = (): AdmissionPlugin => ({
  name: 'AlwaysDeny',
  operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
  admit: deny,
  validate: deny,
});
