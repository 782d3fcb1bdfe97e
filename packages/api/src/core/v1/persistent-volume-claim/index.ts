export { validatePersistentVolumeClaimTemplate, validateTemplateObjectMeta } from './claim-template.ts';
export {
  dropDisabledClaimFields,
  persistentVolumeClaimStrategy,
  setPersistentVolumeClaimDefaults,
  setPersistentVolumeClaimSpecDefaults,
  warningsForPersistentVolumeClaimSpec,
} from './strategy.ts';
export { type PersistentVolumeClaimSpecOptions, validatePersistentVolumeClaimSpec } from './validation.ts';
