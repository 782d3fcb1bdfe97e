import type { Service } from '@coxswain/api/core/v1';
import type { AdmissionPlugin } from './admission.ts';
import { admissionForbidden } from './admission-error.ts';

/** Services must not get other external IPs than they already have. */
export const denyServiceExternalIPs = (): AdmissionPlugin => ({
  name: 'DenyServiceExternalIPs',
  operations: ['CREATE', 'UPDATE'],
  resources: ['services'],
  validate(attributes) {
    const { spec } = attributes.object as Service;
    const old = attributes.oldObject as Service | undefined;
    const known = new Set(old?.spec?.externalIPs);
    if ((spec?.externalIPs ?? []).every((address) => known.has(address))) return;
    throw admissionForbidden(attributes, 'Use of external IPs is denied by admission control');
  },
});
