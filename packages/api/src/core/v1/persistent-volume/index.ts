export { persistentVolumeStrategy, setPersistentVolumeDefaults } from './strategy.ts';
export { validatePersistentVolumeSpec } from './validation.ts';
