/** KubeletConfiguration (kubelet.config.k8s.io/v1beta1): its fields, defaults, validation, and the files it comes from. */
export { completeConfiguration, type KubeletConfiguration } from './complete-configuration.ts';
export { applyDropIns, loadConfigurationFile } from './configuration-files.ts';
export { configurationKind } from './configuration-shape.ts';
export { parseCpuSet } from './cpu-set.ts';
export { isTaintEffect } from './taint-effect.ts';
export { fieldNotices, unsupportedFields } from './unsupported-fields.ts';
export { type ValidationMachine, validateConfiguration } from './validate-configuration.ts';
