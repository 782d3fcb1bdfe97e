/**
 * Pods, and everything that other kinds need to contain a template of them: defaults, validation, warnings.
 *
 * Where to start: `pod-spec.ts` (the rules of a spec), `pod-template.ts` (what controllers check),
 * `pod-strategy.ts` (pods themselves).
 */
export {
  validateAffinity,
  validateNodeSelector,
  validateNodeSelectorRequirement,
  validateNodeSelectorTerm,
  validatePreferredSchedulingTerms,
} from './affinity.ts';
export { podDefaults, podStrategies } from './behaviour.ts';
export { bindingConflict, bindPod, validateBinding } from './binding.ts';
export { invalidEach, requiredFields, requiredSupported, sortedEntries, unlessSupported } from './checks.ts';
export { setPodSpecDefaults, setPodTemplateSpecDefaults } from './defaults.ts';
export { dropDisabledTemplateFields } from './drop-disabled-fields.ts';
export { validateConfigMapKeySelector, validateSecretKeySelector } from './key-selector.ts';
export { validateLocalDescendingPath, validateLocalNonReservedPath, validatePathNoBacksteps } from './path-rules.ts';
export { validatePodLogOptions } from './pod-log-options.ts';
export { aggregateContainerLimits, aggregateContainerRequests, isRestartableInitContainer } from './pod-resources.ts';
export { validatePodSpec, validatePreemptionPolicy } from './pod-spec.ts';
export {
  validatePodTemplateSpec,
  validatePodTemplateSpecForController,
  validatePodTemplateSpecForRC,
  validatePodTemplateSpecForReplicaSet,
  validatePodTemplateSpecUpdate,
} from './pod-template.ts';
export {
  isExtendedResourceName,
  isHugePageResourceName,
  isIntegerResourceName,
  isNativeResource,
  isOvercommitAllowed,
  isStandardContainerResourceName,
  isStandardQuotaResourceName,
  isStandardResourceName,
  validateContainerResourceName,
  validateResourceName,
} from './resource-name.ts';
export {
  validateContainerResourceRequirements,
  validateNonnegativeQuantity,
  validatePositiveQuantity,
  validateResourceQuantityValue,
  validateResourceRequirements,
} from './resource-requirements.ts';
export { isKubernetesSignerName, validateClusterTrustBundleName, validateSignerName } from './signer-name.ts';
export { validateTaintEffect, validateTolerations } from './tolerations.ts';
export { type PodValidationOptions, podTemplateValidationOptions } from './validation-options.ts';
export { validateVolumes } from './volume.ts';
export { nodeLabelDeprecation, nodeSelectorTermWarnings, podTemplateWarnings } from './warnings.ts';
