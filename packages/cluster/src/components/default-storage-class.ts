import type { StorageClass } from '@coxswain/api/storage/v1';
import { isAlreadyExists, isNotFound } from '@coxswain/apimachinery/errors';
import { ClientSet } from '@coxswain/client';
import { hostPathPlugin, type VolumePlugin } from '@coxswain/controllers';
import type { Component } from '../component.ts';
import { administrator } from '../identities.ts';
import type { NodeProvider } from '../nodes/node-provider.ts';

const basePath = '/var/lib/coxswain/volumes';

/** Provisions volumes that are directories of nodes. On hollow nodes there are none, so nothing remains of them. */
export const volumePlugin = (nodes: NodeProvider): VolumePlugin =>
  hostPathPlugin({
    basePath,
    remove: async (path, node) => {
      // A PersistentVolume can be changed by its users: nothing else of the machine may be removed.
      const isOwn = path.startsWith(`${basePath}/`) && !path.slice(basePath.length + 1).includes('/');
      if (isOwn) await nodes.removeDirectory?.(path, node);
    },
  });

/** The same as in kind clusters, name included: charts and StatefulSets have claims without a class. */
const standard: StorageClass = {
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: hostPathPlugin().name,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
};

/** Creates a default StorageClass once, for claims without a class. The controllers provision the volumes. */
export const defaultStorageClass = (): Component => ({
  name: 'default-storage-class',
  userAgent: 'coxswain',
  start({ clientAs }) {
    const ended = ensureDefaultStorageClass(new ClientSet(clientAs(administrator)));
    return { ended, ready: () => ended };
  },
});

/**
 * Creates the class unless there is any StorageClass: then another default may have been chosen. Does nothing when the server does not
 * serve StorageClasses.
 */
async function ensureDefaultStorageClass({ storage }: ClientSet): Promise<void> {
  const classes = storage.v1.storageClasses();
  try {
    const { items } = await classes.list({ limit: 1 });
    if (items.length === 0) await classes.create(standard, { fieldManager: 'coxswain' });
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
  }
}
