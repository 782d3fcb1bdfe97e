import type { Pod } from '@coxswain/api/core/v1';
import type { ClusterEventWithHint } from './cluster-event.ts';
import type { CycleState } from './cycle-state.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { Status } from './status.ts';

/** The bounds of scores after normalization. */
export const minNodeScore = 0;
export const maxNodeScore = 100;

/**
 * A plug-in of the scheduling framework. It takes part at every extension point whose method it implements. Everything up to Reserve is
 * synchronous and is called for every pod, Filter and Score also for every node. Waiting, for example for the API server, is possible only
 * in PostFilter, Permit, PreBind and Bind.
 */
export interface Plugin {
  readonly name: string;

  /** Returns whether the pod may enter the active queue. */
  preEnqueue?(pod: Pod): Status | undefined;

  /** Returns whether `a` is scheduled before `b`. Exactly one plug-in of a profile implements this. */
  less?(a: QueuedPod, b: QueuedPod): boolean;

  /**
   * The events that may make a pod schedulable that this plug-in rejected. A plug-in that can reject pods and does not implement this is
   * registered for all events.
   */
  eventsToRegister?(): readonly ClusterEventWithHint[];

  /** Called once per pod, before its nodes are filtered. With `skip` the plug-in's Filter is not called. */
  preFilter?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterResult | Status | undefined;
  /** Update the result of `preFilter` when a trial adds another pod to a node or removes it. */
  addPod?(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Status | undefined;
  removePod?(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Status | undefined;
  /** Returns whether the pod may run on the node. */
  filter?(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /**
   * Called after `preFilter`, unless that returned `skip`. Returns everything that `filter` depends on besides the node and its pods. Pods
   * with the same signatures and the same priority get the same result for a node as long as the node does not change, so the filter is not
   * called again. Must return undefined, or not be implemented, when the result also depends on the rest of the cluster or on time.
   */
  signPod?(state: CycleState, pod: PodInfo): string | undefined;

  /** Called when no node is left. Makes room, or returns why that is impossible. */
  postFilter?(
    state: CycleState,
    pod: PodInfo,
    statuses: NodeStatuses,
    signal: AbortSignal,
  ): Promise<PostFilterResult | Status>;

  /** Called once per pod, with the remaining nodes. With `skip` the plug-in's Score is not called. */
  preScore?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | undefined;
  /** Returns the score of the node: any number if there is a `normalizeScore`, otherwise from 0 to 100. */
  score?(state: CycleState, pod: PodInfo, node: NodeInfo): number;
  /** Changes the scores in place to integers from 0 to 100. `scores[i]` belongs to `nodes[i]`. */
  normalizeScore?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[], scores: number[]): Status | undefined;

  /** Reserves resources for the pod on the node. `unreserve` releases them; it may also be called without a preceding `reserve`. */
  reserve?(state: CycleState, pod: PodInfo, nodeName: string): Status | undefined;
  unreserve?(state: CycleState, pod: PodInfo, nodeName: string): void;

  /** Allows the pod, rejects it, or delays it (`Wait`) for at most `timeoutMs`. */
  permit?(state: CycleState, pod: PodInfo, nodeName: string): PermitResult | Status | undefined;
  /**
   * Returns `skip` when `preBind` has nothing to do. With undefined, `status.nominatedNodeName` is set first, because binding will take a
   * while.
   */
  preBindPreFlight?(state: CycleState, pod: PodInfo, nodeName: string): Status | undefined;
  /** Prepares binding. */
  preBind?(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Status | undefined>;
  /** Binds the pod, or leaves that to the next plug-in by `skip`. */
  bind?(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Status | undefined>;
  postBind?(state: CycleState, pod: PodInfo, nodeName: string): void;
}

/** Only these nodes have to be filtered. */
export interface PreFilterResult {
  readonly nodeNames: ReadonlySet<string>;
}

/** The node that will have room for the pod once its victims are gone; an empty name removes the existing nomination. */
export interface PostFilterResult {
  readonly nominatedNodeName: string;
  /** Why preemption is impossible, if it is; the existing nomination is then removed. */
  readonly status?: Status;
}

export interface PermitResult {
  readonly status: Status;
  readonly timeoutMs: number;
}

/** The statuses of the nodes that rejected a pod. One status stands for all nodes that were not evaluated. */
export interface NodeStatuses {
  get(nodeName: string): Status;
  /** The nodes that were rejected with that code, in the order of the snapshot. */
  nodesWith(code: Status['code']): readonly NodeInfo[];
}

/** A pod in the scheduling queue. */
export interface QueuedPod {
  readonly info: PodInfo;
  /** When it was added to the queue this time, in milliseconds. */
  readonly timestamp: number;
  readonly attempts: number;
  readonly initialAttemptTimestamp: number | undefined;
  /** The plug-ins that rejected it in the last attempt. */
  readonly unschedulablePlugins: ReadonlySet<string>;
  readonly pendingPlugins: ReadonlySet<string>;
  /** The PreEnqueue plug-in that keeps it out of the active queue, if any. */
  readonly gatingPlugin: string | undefined;
}

/**
 * The plug-in method for each extension point. A plug-in takes part where it implements the method. Keys are the names of the configuration
 * file.
 */
export const extensionPoints = {
  preEnqueue: 'preEnqueue',
  queueSort: 'less',
  preFilter: 'preFilter',
  filter: 'filter',
  postFilter: 'postFilter',
  preScore: 'preScore',
  score: 'score',
  reserve: 'reserve',
  permit: 'permit',
  preBind: 'preBind',
  bind: 'bind',
  postBind: 'postBind',
} as const satisfies Readonly<Record<string, keyof Plugin>>;

export type ExtensionPoint = keyof typeof extensionPoints;
