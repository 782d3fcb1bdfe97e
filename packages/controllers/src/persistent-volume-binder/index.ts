/** Binds PersistentVolumeClaims and PersistentVolumes to each other, and has volumes made and removed. */
export { hostPathPlugin } from './host-path-plugin.ts';
export { persistentVolumeBinderController } from './persistent-volume-binder.ts';
export type { VolumePlugin } from './volume-plugin.ts';
