import type { AdmissionPlugin } from './admission.ts';
import type { AdmissionContext } from './plugin-context.ts';

/** Adds a finalizer to new objects, by resource. A controller removes it when the object is no longer in use. */
const protection = (name: string, finalizers: Readonly<Record<string, string>>): AdmissionPlugin => ({
  name,
  operations: ['CREATE'],
  resources: Object.keys(finalizers),
  admit({ object, resource }) {
    const finalizer = finalizers[`${resource.groupResource}`];
    const present = object?.metadata?.finalizers ?? [];
    if (!object || !finalizer || present.includes(finalizer)) return;
    object.metadata = { ...object.metadata, finalizers: [...present, finalizer] };
  },
});

/** Protects volumes and claims from deletion while they are in use. */
export const storageObjectInUseProtection = (): AdmissionPlugin =>
  protection('StorageObjectInUseProtection', {
    persistentvolumes: 'kubernetes.io/pv-protection',
    persistentvolumeclaims: 'kubernetes.io/pvc-protection',
    'volumeattributesclasses.storage.k8s.io': 'kubernetes.io/vac-protection',
  });

/** Protects pod groups from deletion while they have pods. */
export const podGroupProtection = ({ features }: Pick<AdmissionContext, 'features'>): AdmissionPlugin =>
  protection(
    'PodGroupProtection',
    features.enabled('GenericWorkload')
      ? { 'podgroups.scheduling.k8s.io': 'scheduling.k8s.io/podgroup-protection' }
      : {},
  );
