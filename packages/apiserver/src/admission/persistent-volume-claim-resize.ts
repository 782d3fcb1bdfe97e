import { claimClass } from '@coxswain/api';
import type { PersistentVolumeClaim } from '@coxswain/api/core/v1';
import type { StorageClass } from '@coxswain/api/storage/v1';
import { Quantity } from '@coxswain/apimachinery';
import type { AdmissionPlugin } from './admission.ts';
import { admissionForbidden } from './admission-error.ts';
import type { AdmissionContext } from './plugin-context.ts';

/** Claims can only be expanded when they are bound and their class allows it. */
export function persistentVolumeClaimResize({ listers }: Pick<AdmissionContext, 'listers'>): AdmissionPlugin {
  const mayGrow = async (claim: PersistentVolumeClaim, old: PersistentVolumeClaim): Promise<boolean> => {
    const name = claimClass(claim);
    if (name === '' || name !== claimClass(old)) return false;
    const classes = listers.lister<StorageClass>('storage.k8s.io', 'storageclasses');
    await classes.synced;
    return classes.get('', name)?.allowVolumeExpansion ?? false;
  };
  return {
    name: 'PersistentVolumeClaimResize',
    operations: ['UPDATE'],
    resources: ['persistentvolumeclaims'],
    async validate(attributes) {
      const claim = attributes.object as PersistentVolumeClaim;
      const old = attributes.oldObject as PersistentVolumeClaim;
      if (sizeOf(claim).cmp(sizeOf(old)) <= 0) return;
      if (old.status?.phase !== 'Bound')
        throw admissionForbidden(attributes, 'Only bound persistent volume claims can be expanded');
      if (await mayGrow(claim, old)) return;
      throw admissionForbidden(
        attributes,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    },
  };
}

const sizeOf = ({ spec }: PersistentVolumeClaim): Quantity => Quantity.parse(spec?.resources?.requests?.storage ?? '0');
