import { storageClassAnnotation } from '@coxswain/api';
import type { PersistentVolumeClaim } from '@coxswain/api/core/v1';
import type { StorageClass } from '@coxswain/api/storage/v1';
import type { AdmissionPlugin } from '../admission.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import { defaultClass } from './default-class.ts';

const marks = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** Sets the default class on claims without one. An empty class name is kept: it requests a volume without a class. */
export const defaultStorageClass = ({ listers }: Pick<AdmissionContext, 'listers'>): AdmissionPlugin => ({
  name: 'DefaultStorageClass',
  operations: ['CREATE'],
  resources: ['persistentvolumeclaims'],
  async admit({ object }) {
    const claim = object as PersistentVolumeClaim;
    const { annotations = {} } = claim.metadata;
    if (Object.hasOwn(annotations, storageClassAnnotation) || claim.spec?.storageClassName !== undefined) return;
    const chosen = await defaultClass(listers.lister<StorageClass>('storage.k8s.io', 'storageclasses'), marks);
    const storageClassName = chosen?.metadata.name;
    if (storageClassName) claim.spec = { ...claim.spec, storageClassName };
  },
});
