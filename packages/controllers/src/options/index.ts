/** From kube-controller-manager's flags to controllers that run. */
export { type ControllerManagerOptions, controllerManagerFlags } from './controller-manager-flags.ts';
export { controllerManagerHelp, parseControllerManagerOptions } from './parse-options.ts';
export { type ControllerManagerEnvironment, runControllerManager } from './run-controller-manager.ts';
export { serviceAccountOf } from './service-account-names.ts';
