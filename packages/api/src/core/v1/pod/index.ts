/**
 * Pods, and everything that other kinds need to contain a template of them: defaults, validation, warnings.
 *
 * Where to start: `pod-spec.ts` (the rules of a spec), `pod-template.ts` (what controllers check),
 * `pod-strategy.ts` (pods themselves).
 */
export { podDefaults, podStrategies } from './behaviour.ts';
export { bindingConflict, bindPod, validateBinding } from './binding.ts';
export { invalidEach, requiredSupported, sortedEntries, unlessSupported } from './checks.ts';
export { setPodTemplateSpecDefaults } from './defaults.ts';
export { dropDisabledTemplateFields } from './drop-disabled-fields.ts';
export { validatePodLogOptions } from './pod-log-options.ts';
export { podQOS } from './pod-qos.ts';
export { podRequests } from './pod-resources.ts';
export {
  validatePodTemplateSpec,
  validatePodTemplateSpecForController,
  validatePodTemplateSpecForReplicaSet,
} from './pod-template.ts';
export { isExtendedResourceName, validateContainerResourceName } from './resource-name.ts';
export {
  validateContainerResourceRequirements,
  validateNonnegativeQuantity,
} from './resource-requirements.ts';
export { isKubernetesSignerName, validateClusterTrustBundleName, validateSignerName } from './signer-name.ts';
export { validateTolerations } from './tolerations.ts';
export { type PodValidationOptions, podTemplateValidationOptions } from './validation-options.ts';
export { nodeLabelDeprecation, podTemplateWarnings } from './warnings.ts';
