/**
 * `@coxswain/scheduler`: kube-scheduler. It selects a node for every pod that has none: the scheduling framework with its extension points,
 * the default plug-ins with upstream's weights, the queues, profiles and the configuration file.
 *
 * It accesses the cluster only through `@coxswain/client`; it runs neither a server nor pods. Pod groups (gang scheduling), which are off
 * by default upstream, are not implemented.
 *
 * Where to start: `assemble-scheduler.ts` connects all parts; `scheduling/scheduling-loop.ts` shows how a pod is scheduled;
 * `framework/plugin.ts` is the interface of plug-ins.
 */
export * from './config/index.ts';
export type { AffinityTerm, WeightedAffinityTerm } from './framework/affinity-term.ts';
export {
  Action,
  type ClusterEvent,
  type ClusterEventWithHint,
  type EventResource,
  type QueueingHint,
  type QueueingHintFn,
} from './framework/cluster-event.ts';
export { type CycleState, StateKey } from './framework/cycle-state.ts';
export type { Extender, ExtenderFilterResult, Victims } from './framework/extender.ts';
export type { Handle, Nominator, PluginDefinition, WaitingPod, WaitingPods } from './framework/handle.ts';
export type { ImageState, NodeInfo } from './framework/node-info.ts';
export {
  type ExtensionPoint,
  maxNodeScore,
  minNodeScore,
  type NodeStatuses,
  type PermitResult,
  type Plugin,
  type PostFilterResult,
  type PreFilterResult,
  type QueuedPod,
} from './framework/plugin.ts';
export type { PodInfo } from './framework/pod-info.ts';
export type { Snapshot } from './framework/snapshot.ts';
export { Status, type StatusCode, skip } from './framework/status.ts';
export * from './options/index.ts';
export { defaultPlugins, inTreePlugins } from './plugins/index.ts';
export { Scheduler, type SchedulerOptions } from './scheduler.ts';
