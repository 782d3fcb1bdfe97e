/**
 * `@coxswain/controllers`: kube-controller-manager. It contains the control loops that bring a cluster to its desired state, each
 * in its own folder. They access the API server only through `@coxswain/client`.
 *
 * Where to start: `all-controllers.ts` lists all of them, `framework/` has the shared parts, `options/` the flags. `replicaset/`
 * is a good first one to read.
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
