import type { Pod } from '@coxswain/api/core/v1';
import type { Path } from '@coxswain/apimachinery/field';
import type { ClientSet, Clock, EventSeriesRecorder, Logger, Metrics, SharedInformerFactory } from '@coxswain/client';
import type { CycleState } from './cycle-state.ts';
import type { Extender } from './extender.ts';
import type { NodeInfo } from './node-info.ts';
import type { Plugin } from './plugin.ts';
import type { PodInfo } from './pod-info.ts';
import type { SharedParts } from './shared-parts.ts';
import type { Snapshot } from './snapshot.ts';
import type { Status } from './status.ts';

/** The framework's services for plug-ins. */
export interface Handle {
  readonly profileName: string;
  readonly clients: ClientSet;
  /** One informer per resource, shared with the scheduler itself. Informers that a plug-in requests in its factory function are started. */
  readonly informers: SharedInformerFactory;
  /** Records events with the profile as reporting controller. */
  readonly recorder: Pick<EventSeriesRecorder, 'event'>;
  readonly clock: Clock;
  /** Returns numbers in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The snapshot of the current cycle. */
  snapshot(): Snapshot;
  readonly nominator: Nominator;
  readonly waitingPods: WaitingPods;
  readonly extenders: readonly Extender[];
  /** Values that the plug-ins of all profiles share. */
  readonly shared: SharedParts;
  /**
   * Aborts PreBind of the pod with that UID. Returns false when its PreBind is not running, or has passed the point where it can be
   * aborted.
   */
  cancelPreBind(uid: string, reason: string): boolean;
  /** Runs the profile's filters for a node, counting its nominated pods of the same or higher priority as if they were on it. */
  filterWithNominatedPods(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  runAddPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Status | undefined;
  runRemovePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Status | undefined;
  runFilters(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** Moves pods to the active queue. */
  activate(pods: Iterable<Pod>): void;
  /**
   * Runs a write to the API server that a cycle leaves behind, as soon as a slot is free. The number of concurrent writes is bounded; while
   * all slots are in use, no other pod is scheduled.
   */
  write<T>(task: () => Promise<T>): Promise<T>;
}

/** Pods that are nominated to a node, from which other pods are being preempted for them. */
export interface Nominator {
  nominatedPods(nodeName: string): readonly PodInfo[];
  /** The node that the pod is nominated to, if any. */
  nominatedNode(pod: Pod): string | undefined;
  /** Without `nodeName`, the pod's `status.nominatedNodeName` is used. */
  addNominatedPod(pod: PodInfo, nodeName?: string): void;
  deleteNominatedPod(pod: Pod): void;
}

/** A pod that waits because of Permit plug-ins. */
export interface WaitingPod {
  readonly pod: Pod;
  /** The plug-ins that have not allowed it yet. */
  readonly pendingPlugins: readonly string[];
  allow(plugin: string): void;
  /** Makes the pod unschedulable. Returns false when it was already allowed or rejected. */
  reject(plugin: string, message: string): boolean;
  /** Like `reject`, but the pod is retried soon. */
  preempt(plugin: string, message: string): boolean;
}

export interface WaitingPods {
  get(uid: string): WaitingPod | undefined;
  [Symbol.iterator](): Iterator<WaitingPod>;
}

/** Creates a plug-in for a profile. `args` is the result of the same definition's `readArgs`, or the raw `pluginConfig` without it. */
export interface PluginDefinition<Args = unknown> {
  readonly name: string;
  /**
   * Parses `pluginConfig[].args` and fills in defaults; `args` is undefined when there are none. Throws an Error that names the invalid
   * field, below `path` when given.
   */
  readArgs?(args: unknown, path?: Path): Args;
  create(args: Args, handle: Handle): Plugin;
}
