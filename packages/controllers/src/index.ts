/**
 * `@coxswain/controllers`: kube-controller-manager. The control loops that bring a cluster to what its objects ask for,
 * each in a folder of its own; they meet the API server by `@coxswain/client` alone.
 *
 * Where to start: `all-controllers.ts` has all of them, `framework/` what they share, `options/` the flags;
 * `replicaset/` is a good first one to read.
 */
export { type AllControllersOptions, allControllers, chosenControllers } from './all-controllers.ts';
export type { Controller, ControllerContext, ControllerDefinition } from './framework/controller/controller.ts';
export type { ClientBuilder } from './framework/manager/client-builder.ts';
export {
  ControllerManager,
  type ControllerManagerOptions as ControllerManagerConfig,
  defaultCoalesceMs,
} from './framework/manager/controller-manager.ts';
export {
  type ControllerManagerEnvironment,
  type ControllerManagerOptions,
  controllerManagerFlags,
  controllerManagerHelp,
  parseControllerManagerOptions,
  runControllerManager,
  serviceAccountOf,
} from './options/index.ts';
export { hostPathPlugin, type VolumePlugin } from './persistent-volume-binder/index.ts';
