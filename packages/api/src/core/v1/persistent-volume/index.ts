export { persistentVolumeStrategy, setPersistentVolumeDefaults } from './strategy.ts';
export { type PersistentVolumeSpecOptions, validatePersistentVolumeSpec } from './validation.ts';
