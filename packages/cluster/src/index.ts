/**
 * `@coxswain/cluster`: a whole cluster in one process, the base of `cox up` and the testkit.
 *
 * Where to start: `component.ts` defines components, `components/default-components.ts` lists the default ones, `cluster.ts` runs them.
 */

export type { NodeSpec } from '@coxswain/kubelet';
export { Cluster, type ClusterOptions } from './cluster.ts';
export type {
  ApiServerComponent,
  Component,
  ComponentContext,
  ComponentPhase,
  ComponentStatus,
  RunningComponent,
} from './component.ts';
export type { ApiServerSettings } from './components/api-server.ts';
export type { Access, ClusterServer } from './components/cluster-server.ts';
export type { ControllersSettings } from './components/controllers.ts';
export { type DefaultComponentsSettings, defaultComponents } from './components/default-components.ts';
export type { SchedulerSettings } from './components/scheduler.ts';
export { administrator, type Identity } from './identities.ts';
export { CombinedNodeProvider } from './nodes/combined-node-provider.ts';
export { type HollowNodeOptions, HollowNodeProvider } from './nodes/hollow-node-provider.ts';
export type { NodeProvider } from './nodes/node-provider.ts';
export { type OwnRuntimeOptions, ownRuntime, ownRuntimeSocket } from './nodes/own-runtime.ts';
export { defaultPodRange, type RealNodeOptions, RealNodeProvider, removeRealNode } from './nodes/real-node-provider.ts';
