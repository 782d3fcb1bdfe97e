/** Binds PersistentVolumeClaims to PersistentVolumes, and provisions and deletes volumes. */
export { hostPathPlugin } from './host-path-plugin.ts';
export { persistentVolumeBinderController } from './persistent-volume-binder.ts';
export type { VolumePlugin } from './volume-plugin.ts';
