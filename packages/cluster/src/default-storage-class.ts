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

/** One that is there stays as it is: somebody may have made another the default. None where the server has no such kind. */
export async function ensureDefaultStorageClass({ storage }: ClientSet): Promise<void> {
  await storage.v1
    .storageClasses()
    .create(standard)
    .catch((error: unknown) => {
      if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
    });
}
