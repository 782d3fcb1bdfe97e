export { validatePersistentVolumeClaimTemplate } from './claim-template.ts';
export {
  persistentVolumeClaimStrategy,
  setPersistentVolumeClaimDefaults,
  setPersistentVolumeClaimSpecDefaults,
  warningsForPersistentVolumeClaimSpec,
} from './strategy.ts';
export { validatePersistentVolumeClaimSpec } from './validation.ts';
