import type { StorageClass } from '@coxswain/api/storage/v1';
import { isAlreadyExists, isNotFound } from '@coxswain/apimachinery/errors';
import type { ClientSet } from '@coxswain/client';
import { hostPathPlugin } from '@coxswain/controllers';

/** Makes volumes that are directories of hollow nodes: nothing is in them, and nothing is left of them. */
export const volumePlugin = hostPathPlugin();

/** As in clusters of kind, name included: charts and StatefulSets have claims that name no class. */
const standard: StorageClass = {
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: volumePlugin.name,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
};

/** Where there is any class, somebody may have chosen another default: all stays as it is. None where the server has no such kind. */
export async function ensureDefaultStorageClass({ storage }: ClientSet): Promise<void> {
  const classes = storage.v1.storageClasses();
  try {
    const { items } = await classes.list({ limit: 1 });
    if (items.length === 0) await classes.create(standard, { fieldManager: 'coxswain' });
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
  }
}
