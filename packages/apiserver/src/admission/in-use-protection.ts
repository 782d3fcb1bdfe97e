import type { AdmissionPlugin } from './admission.ts';
import type { AdmissionContext } from './plugin-context.ts';

/** Gives new objects a finalizer, by their resource: a controller takes it away when nobody uses them any more. */
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

/** Volumes and claims stay until nobody uses them. */
export const storageObjectInUseProtection = (): AdmissionPlugin =>
  protection('StorageObjectInUseProtection', {
    persistentvolumes: 'kubernetes.io/pv-protection',
    persistentvolumeclaims: 'kubernetes.io/pvc-protection',
    'volumeattributesclasses.storage.k8s.io': 'kubernetes.io/vac-protection',
  });

/** Pod groups stay while they have pods. */
export const podGroupProtection = ({ features }: Pick<AdmissionContext, 'features'>): AdmissionPlugin =>
  protection(
    'PodGroupProtection',
    features.enabled('GenericWorkload')
      ? { 'podgroups.scheduling.k8s.io': 'scheduling.k8s.io/podgroup-protection' }
      : {},
  );
