import type { StorageClass } from '@coxswain/api/storage/v1';
import { isAlreadyExists, isNotFound } from '@coxswain/apimachinery/errors';
import { ClientSet } from '@coxswain/client';
import { hostPathPlugin } from '@coxswain/controllers';
import type { Component } from '../component.ts';
import { administrator } from '../identities.ts';

/** Makes volumes that are directories of hollow nodes: nothing is in them, and nothing is left of them. */
export const volumePlugin = hostPathPlugin();

/** As in clusters of kind, name included: charts and StatefulSets have claims that name no class. */
const standard: StorageClass = {
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: volumePlugin.name,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
};

/** Sees once that there is a class of storage for claims that name none. The controllers make the volumes. */
export const defaultStorageClass = (): Component => ({
  name: 'default-storage-class',
  userAgent: 'coxswain',
  start({ clientAs }) {
    const ended = ensureDefaultStorageClass(new ClientSet(clientAs(administrator)));
    return { ended, ready: () => ended };
  },
});

/** Where there is any class, somebody may have chosen another default: all stays as it is. None where the server has no such kind. */
async function ensureDefaultStorageClass({ storage }: ClientSet): Promise<void> {
  const classes = storage.v1.storageClasses();
  try {
    const { items } = await classes.list({ limit: 1 });
    if (items.length === 0) await classes.create(standard, { fieldManager: 'coxswain' });
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
  }
}
