import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { setCSIDriverDefaults } from '../v1/csi-driver.ts';
import { setStorageClassDefaults } from '../v1/storage-class.ts';
import { setVolumeAttachmentDefaults } from '../v1/volume-attachment.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'storage.k8s.io',
  version: 'v1beta1',
  defaults: {
    CSIDriver: setCSIDriverDefaults,
    StorageClass: setStorageClassDefaults,
    VolumeAttachment: setVolumeAttachmentDefaults,
  },
};
