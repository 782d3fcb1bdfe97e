/** Binds PersistentVolumeClaims and PersistentVolumes to each other, and has volumes made and removed. */
export { type HostPathPluginOptions, hostPathPlugin } from './host-path-plugin.ts';
export { type PersistentVolumeBinderOptions, persistentVolumeBinderController } from './persistent-volume-binder.ts';
export { type ProvisionRequest, VolumeInUseError, type VolumePlugin } from './volume-plugin.ts';
