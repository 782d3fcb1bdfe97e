import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { csiDriverStrategy, setCSIDriverDefaults } from './csi-driver.ts';
import { csiNodeStrategy } from './csi-node.ts';
import { csiStorageCapacityStrategy } from './csi-storage-capacity.ts';
import { setStorageClassDefaults, storageClassStrategy } from './storage-class.ts';
import { setVolumeAttachmentDefaults, volumeAttachmentStrategy } from './volume-attachment.ts';
import { volumeAttributesClassStrategy } from './volume-attributes-class.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'storage.k8s.io',
  version: 'v1',
  defaults: {
    CSIDriver: setCSIDriverDefaults,
    StorageClass: setStorageClassDefaults,
    VolumeAttachment: setVolumeAttachmentDefaults,
  },
  strategies: {
    CSIDriver: csiDriverStrategy,
    CSINode: csiNodeStrategy,
    CSIStorageCapacity: csiStorageCapacityStrategy,
    StorageClass: storageClassStrategy,
    VolumeAttachment: volumeAttachmentStrategy,
    VolumeAttributesClass: volumeAttributesClassStrategy,
  },
};
