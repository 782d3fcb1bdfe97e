import type { ControllerRevision, DaemonSet } from '@coxswain/api/apps/v1';
import type { Node, Pod } from '@coxswain/api/core/v1';
import { labelSelectorAsSelector } from '@coxswain/apimachinery/labels';
import { GroupVersionKind, getControllerOf, newControllerRef } from '@coxswain/apimachinery/meta';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import {
  Backoff,
  DeletedFinalStateUnknown,
  deletionHandlingKey,
  type EventRecorder,
  metaNamespaceKey,
  type ReconcileResult,
  type ResourceDescription,
  type SharedIndexInformer,
  until,
} from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller.ts';
import { addControllerIndex, controlledBy, orphansIn } from '../framework/controller-index.ts';
import { revisionsToDelete } from '../framework/controller-revision.ts';
import { ControllerRevisionHistory } from '../framework/controller-revision-history.ts';
import { OwnWrites } from '../framework/own-writes.ts';
import { claimObjects } from '../framework/owned-objects.ts';
import { OwnerLookup } from '../framework/owner-lookup.ts';
import { addNodeIndex, podsOnNode } from '../framework/pod-node-index.ts';
import { availableInMs, isPodAvailable, isPodTerminal } from '../framework/pods.ts';
import { recheckOwner } from '../framework/recheck-owner.ts';
import { ReconcileLoop } from '../framework/reconcile-loop.ts';
import { updateStatus } from '../framework/update-status.ts';
import { podHandler } from '../replicaset/pod-watch.ts';
import { hashLabel, isUpdatedBy, targetNode } from './daemon-pod.ts';
import { DaemonPodControl } from './daemon-pod-control.ts';
import { type NodeFit, nodeFitOf } from './node-fit.ts';
import { planNode } from './node-plan.ts';
import { type DaemonRevisions, daemonRevisions } from './revisions.ts';
import { allowsSurge, planUpdate, updateLimits } from './rolling-update.ts';
import { countDaemons, type DaemonCounts, isOutdated } from './status.ts';
import { historyHandler } from './history-watch.ts';

const resource: ResourceDescription = {
  group: 'apps',
  version: 'v1',
  resource: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
};
const kind = GroupVersionKind.of(resource.group, resource.version, resource.kind);

/** Only a safety net: seeing what was written brings the set back into the queue. */
const lookForOwnWritesMs = 1000;

/** How long a node's failed pods are left alone: longer from one to the next. */
const firstFailureMs = 1000;
const longestFailureMs = 15 * 60_000;
const failureGcMs = 60_000;

/** A node as one set sees it. */
interface NodeView {
  readonly name: string;
  readonly fit: NodeFit;
  readonly shouldRun: boolean;
  readonly pods: readonly Pod[];
}

/** A set, and all that counts for it, as it was when the reconcile began. */
interface View {
  readonly key: string;
  readonly set: DaemonSet;
  /** All pods of the set. */
  readonly pods: readonly Pod[];
  /** The nodes that there are. */
  readonly nodes: readonly NodeView[];
  /** Pods that are meant for nodes that there are not, by their node. */
  readonly elsewhere: ReadonlyMap<string, readonly Pod[]>;
  readonly revisions: DaemonRevisions;
  readonly now: number;
  readonly minReadySeconds: number;
}

/** Keeps a pod of each DaemonSet on every node that should have one. */
export class DaemonSetController implements Controller {
  readonly #context: ControllerContext;
  readonly #sets: SharedIndexInformer<DaemonSet>;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #nodes: SharedIndexInformer<Node>;
  readonly #ownWrites = new OwnWrites();
  readonly #history: ControllerRevisionHistory<DaemonSet>;
  readonly #owners: OwnerLookup<DaemonSet>;
  readonly #recorder: EventRecorder;
  readonly #podControl: DaemonPodControl;
  readonly #loop: ReconcileLoop;
  readonly #nodeLoop: ReconcileLoop;
  /** By set, generation and node. Emptied of what is long past every minute. */
  readonly #failures: Backoff;
  readonly #fits = new WeakMap<DaemonSet, (node: Node) => NodeFit>();

  constructor(context: ControllerContext) {
    const { informers, clock } = context;
    this.#context = context;
    this.#sets = informers.apps.v1.daemonSets.informer;
    this.#pods = informers.core.v1.pods.informer;
    this.#nodes = informers.core.v1.nodes.informer;
    this.#history = new ControllerRevisionHistory(context, resource, this.#ownWrites);
    this.#owners = new OwnerLookup(this.#sets, resource.kind, ({ spec }) => labelSelectorAsSelector(spec?.selector));
    this.#recorder = context.recorder('daemonset-controller');
    this.#podControl = new DaemonPodControl(context, this.#pods, this.#ownWrites);
    this.#failures = new Backoff({ initialMs: firstFailureMs, maxMs: longestFailureMs, clock });
    const synced = [this.#sets, this.#pods, this.#nodes, this.#history.informer];
    const reconcile = (key: string): Promise<ReconcileResult | undefined> => this.#reconcile(key);
    this.#loop = new ReconcileLoop(context, { name: 'daemonset', workers: 2, synced, reconcile });
    this.#nodeLoop = new ReconcileLoop(context, {
      name: 'daemonset-node-updates',
      workers: 2,
      synced,
      reconcile: async (name) => this.#enqueueForNode(name),
    });
    addControllerIndex(this.#pods);
    addNodeIndex(this.#pods);
    this.#watch();
  }

  async run(signal: AbortSignal): Promise<void> {
    const forgetting = until(async () => this.#failures.gc(), { periodMs: failureGcMs, clock: this.#context.clock, signal });
    await Promise.all([this.#loop.run(signal), this.#nodeLoop.run(signal), forgetting]);
  }
}
