import { parseSigningRequest } from '@coxswain/api';
import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import { X509Error } from '@coxswain/apimachinery/der';
import type { AdmissionAttributes } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';

/** The subject of a certificate signing request. Throws Forbidden with `prefix` when the request is invalid. */
export function signingRequestSubject(
  attributes: AdmissionAttributes,
  prefix: string,
): ReturnType<typeof parseSigningRequest>['subject'] {
  try {
    return parseSigningRequest((attributes.object as CertificateSigningRequest).spec.request).subject;
  } catch (error) {
    if (error instanceof X509Error) throw admissionForbidden(attributes, `${prefix}: ${error.message}`);
    throw error;
  }
}
