import type { Pod } from '@coxswain/api/core/v1';
import type { ClusterEventWithHint } from './cluster-event.ts';
import type { CycleState } from './cycle-state.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { Status } from './status.ts';

/** Scores are between these once they are normalised. */
export const minNodeScore = 0;
export const maxNodeScore = 100;

/**
 * A plug-in of the scheduling framework: it takes part at every extension point of which it has the method. Everything up to
 * Reserve is asked for every pod (Filter and Score: for every node too) and must answer at once; what has to wait for the API
 * server waits in PostFilter, Permit, PreBind and Bind.
 */
export interface Plugin {
  readonly name: string;

  /** Whether the pod may enter the active queue at all. */
  preEnqueue?(pod: Pod): Status | undefined;

  /** Which of two waiting pods comes first. Exactly one plug-in of a profile has this. */
  less?(a: QueuedPod, b: QueuedPod): boolean;

  /**
   * What may make a pod schedulable that this plug-in rejected. One that filters, reserves or holds pods back and has no such
   * method is asked again after every event.
   */
  eventsToRegister?(): readonly ClusterEventWithHint[];

  /** Once for a pod, before its nodes are filtered. `skip` leaves the plug-in's Filter out. */
  preFilter?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterResult | Status | undefined;
  /** Keep up what `preFilter` noted when another pod is put on a node, or taken away, for a trial. */
  addPod?(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Status | undefined;
  removePod?(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Status | undefined;
  /** Whether the pod may be on the node. */
  filter?(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  /**
   * After `preFilter`, unless that skipped: all that `filter` looks at beside the node and the pods there. Pods for which that is
   * the same, and priority too, get the same answer as long as the node is the same: it is not asked again then. Undefined, or
   * no such method, where the rest of the cluster or the time has a say.
   */
  signPod?(state: CycleState, pod: PodInfo): string | undefined;

  /** When no node is left: makes room, or says why that is impossible. */
  postFilter?(
    state: CycleState,
    pod: PodInfo,
    statuses: NodeStatuses,
    signal: AbortSignal,
  ): Promise<PostFilterResult | Status>;

  /** Once for a pod, with the nodes that are left. `skip` leaves the plug-in's Score out. */
  preScore?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | undefined;
  /** How good the node is: a number of any size where there is a `normalizeScore`, otherwise from 0 to 100. */
  score?(state: CycleState, pod: PodInfo, node: NodeInfo): number;
  /** Changes the scores in place: to whole numbers from 0 to 100. `nodes[i]` has `scores[i]`. */
  normalizeScore?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[], scores: number[]): Status | undefined;

  /** The pod is going to be on the node: note it. What is noted is given up by `unreserve`, which may be called for what was never reserved. */
  reserve?(state: CycleState, pod: PodInfo, nodeName: string): Status | undefined;
  unreserve?(state: CycleState, pod: PodInfo, nodeName: string): void;

  /** Lets the pod go on, refuses it, or holds it back (`Wait`) for so long at most. */
  permit?(state: CycleState, pod: PodInfo, nodeName: string): PermitResult | Status | undefined;
  /** Whether `preBind` has anything to do: `skip` leaves it out, and undefined tells others early where the pod will be. */
  preBindPreFlight?(state: CycleState, pod: PodInfo, nodeName: string): Status | undefined;
  /** What has to be done before the pod is bound. */
  preBind?(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Status | undefined>;
  /** Binds the pod, or leaves it to the next plug-in by `skip`. */
  bind?(state: CycleState, pod: PodInfo, nodeName: string, signal: AbortSignal): Promise<Status | undefined>;
  postBind?(state: CycleState, pod: PodInfo, nodeName: string): void;
}

/** Only these nodes need to be looked at. */
export interface PreFilterResult {
  readonly nodeNames: ReadonlySet<string>;
}

/** Where the pod will fit once those that were asked to go are gone; an empty name takes back what was said before. */
export interface PostFilterResult {
  readonly nominatedNodeName: string;
  /** Why no room can be made, when none can: what was promised before is taken back then. */
  readonly status?: Status;
}

export interface PermitResult {
  readonly status: Status;
  readonly timeoutMs: number;
}

/** Why the nodes were rejected that are not named otherwise: one status stands for all those that were never looked at. */
export interface NodeStatuses {
  get(nodeName: string): Status;
  /** The nodes that were rejected with that code, in the order of the snapshot. */
  nodesWith(code: Status['code']): readonly NodeInfo[];
}

/** A pod that waits, and what is known of its wait. */
export interface QueuedPod {
  readonly info: PodInfo;
  /** When it came into the queue this time, in milliseconds. */
  readonly timestamp: number;
  readonly attempts: number;
  readonly initialAttemptTimestamp: number | undefined;
  /** The plug-ins that rejected it last time. */
  readonly unschedulablePlugins: ReadonlySet<string>;
  readonly pendingPlugins: ReadonlySet<string>;
  /** The plug-in that keeps it out of the active queue, if any. */
  readonly gatingPlugin: string | undefined;
}

/** Which of the optional methods makes a plug-in part of an extension point, by the names of the configuration file. */
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
