/**
 * Pods, and the code for kinds with a pod template: defaults, validation, warnings.
 *
 * Where to start: `pod-spec.ts` (the rules of a spec), `pod-template.ts` (validation of templates), `pod-strategy.ts`
 * (pods themselves).
 */

export { invalidEach, requiredSupported, sortedEntries, unlessSupported } from '../checks.ts';
export { isExtendedResourceName, validateContainerResourceName } from '../resources/resource-name.ts';
export {
  validateContainerResourceRequirements,
  validateNonnegativeQuantity,
} from '../resources/resource-requirements.ts';
export { podDefaults, podStrategies } from './behaviour.ts';
export { bindingConflict, bindPod, validateBinding } from './binding.ts';
export { setPodTemplateSpecDefaults } from './defaults.ts';
export { dropDisabledTemplateFields } from './drop-disabled-fields.ts';
export { validatePodLogOptions } from './pod-log-options.ts';
export {
  validatePodTemplateSpec,
  validatePodTemplateSpecForController,
  validatePodTemplateSpecForReplicaSet,
} from './pod-template.ts';
export { podQOS } from './resources/pod-qos.ts';
export { podLimits, podRequests } from './resources/pod-resources.ts';
export { validateTolerations } from './scheduling/tolerations.ts';
export { isKubernetesSignerName, validateClusterTrustBundleName, validateSignerName } from './signer-name.ts';
export { type PodValidationOptions, podTemplateValidationOptions } from './validation-options.ts';
export { podTemplateWarnings } from './warnings/warnings.ts';
