/** The kube-controller-manager command: parses its flags and runs the controllers. */
export { type ControllerManagerOptions, controllerManagerFlags } from './controller-manager-flags.ts';
export { controllerManagerHelp, parseControllerManagerOptions } from './parse-options.ts';
export { type ControllerManagerEnvironment, runControllerManager } from './run-controller-manager.ts';
export { serviceAccountOf } from './service-account-names.ts';
