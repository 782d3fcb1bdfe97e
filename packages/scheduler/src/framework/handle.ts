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

/** What a plug-in has to work with. */
export interface Handle {
  readonly profileName: string;
  readonly clients: ClientSet;
  /** One informer for each resource, shared with the scheduler itself; those that are asked for in a factory are started. */
  readonly informers: SharedInformerFactory;
  /** In the name of the profile. */
  readonly recorder: Pick<EventSeriesRecorder, 'event'>;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** As of the beginning of the present cycle. */
  snapshot(): Snapshot;
  readonly nominator: Nominator;
  readonly waitingPods: WaitingPods;
  readonly extenders: readonly Extender[];
  /** What the plug-ins of all profiles have in common. */
  readonly shared: SharedParts;
  /** Gives up what PreBind does for the pod (by its uid). False when it does nothing, or is too far already. */
  cancelPreBind(uid: string, reason: string): boolean;
  /** Runs the profile's filters for one node, as if the pods that were promised a place there, and come first, had it already. */
  filterWithNominatedPods(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  runAddPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Status | undefined;
  runRemovePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Status | undefined;
  runFilters(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** Brings pods (by `namespace/name`) into the active queue. */
  activate(pods: Iterable<Pod>): void;
  /**
   * Runs what a cycle leaves to be written to the API server, when its turn comes: a bounded number runs at once, and while all of
   * them are busy no other pod is tried.
   */
  write<T>(task: () => Promise<T>): Promise<T>;
}

/** Pods that were promised a place on a node, which other pods are leaving for them. */
export interface Nominator {
  nominatedPods(nodeName: string): readonly PodInfo[];
  /** Where the pod was promised a place, if it was. */
  nominatedNode(pod: Pod): string | undefined;
  /** Without a node the pod's own `status.nominatedNodeName` counts. */
  addNominatedPod(pod: PodInfo, nodeName?: string): void;
  deleteNominatedPod(pod: Pod): void;
}

/** A pod that Permit plug-ins hold back. */
export interface WaitingPod {
  readonly pod: Pod;
  /** Those that have not allowed it yet. */
  readonly pendingPlugins: readonly string[];
  allow(plugin: string): void;
  /** The pod is unschedulable. False when it was allowed or rejected before. */
  reject(plugin: string, message: string): boolean;
  /** As `reject`, but the pod is tried again soon. */
  preempt(plugin: string, message: string): boolean;
}

export interface WaitingPods {
  get(uid: string): WaitingPod | undefined;
  [Symbol.iterator](): Iterator<WaitingPod>;
}

/** Makes a plug-in for a profile. `args` is its `pluginConfig`, defaulted and checked by `readArgs` of the same plug-in. */
export interface PluginDefinition<Args = unknown> {
  readonly name: string;
  /**
   * Reads `pluginConfig[].args`; undefined when there are none. Throws an Error that says which field is wrong, below `path`
   * where one is given.
   */
  readArgs?(args: unknown, path?: Path): Args;
  create(args: Args, handle: Handle): Plugin;
}
