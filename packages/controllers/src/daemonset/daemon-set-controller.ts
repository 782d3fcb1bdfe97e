import type { ControllerRevision, DaemonSet } from '@coxswain/api/apps/v1';
import type { Node, Pod } from '@coxswain/api/core/v1';
import { labelSelectorAsSelector } from '@coxswain/apimachinery/labels';
import { GroupVersionKind, getControllerOfNoCopy, newControllerRef } from '@coxswain/apimachinery/meta';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import {
  Backoff,
  deletedObject,
  type EventRecorder,
  metaNamespaceKey,
  type ReconcileResult,
  type ResourceDescription,
  type SharedIndexInformer,
  until,
} from '@coxswain/client';
import { availableInMs, isPodAvailable } from '@coxswain/component-helpers';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { problemOf } from '../framework/failures/problem-of.ts';
import { revisionsToDelete } from '../framework/history/controller-revision.ts';
import { ControllerRevisionHistory } from '../framework/history/controller-revision-history.ts';
import { addControllerIndex } from '../framework/ownership/controller-index.ts';
import { ownedObjectHandler } from '../framework/ownership/owned-object-handler.ts';
import { OwnerLookup } from '../framework/ownership/owner-lookup.ts';
import { recheckOwner } from '../framework/ownership/recheck-owner.ts';
import { claimPods } from '../framework/pods/owned-pods.ts';
import { lookForOwnWritesMs, OwnWrites } from '../framework/writes/own-writes.ts';
import { updateStatus } from '../framework/writes/update-status.ts';
import { hashLabel, isUpdatedBy, targetNode } from './daemon-pod.ts';
import { DaemonPodControl } from './daemon-pod-control.ts';
import { type NodeFit, nodeFitOf } from './node-fit.ts';
import { planNode } from './node-plan.ts';
import { type Placement, placementOf } from './placement.ts';
import { type DaemonRevisions, daemonRevisions } from './revisions.ts';
import { allowsSurge, planUpdate, type UpdateStep } from './rolling-update.ts';
import { countDaemons, type DaemonCounts, isOutdated, noCounts } from './status.ts';

const resource: ResourceDescription = {
  group: 'apps',
  version: 'v1',
  resource: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
};
const kind = GroupVersionKind.of(resource.group, resource.version, resource.kind);

/** Index of daemon pods by the node that they are bound to or meant for. */
const targetIndex = 'daemonTarget';

/** The delays before failed pods on the same node are deleted again. They grow exponentially. */
const firstFailureMs = 1000;
const longestFailureMs = 15 * 60_000;
const failureGcMs = 60_000;

/** A DaemonSet, its pods, revisions and nodes at the start of a reconcile. */
interface View extends Placement {
  readonly key: string;
  readonly set: DaemonSet;
  /** All pods of the set. */
  readonly pods: readonly Pod[];
  readonly revisions: DaemonRevisions;
  readonly now: number;
  readonly minReadySeconds: number;
}

/** Runs one pod of each DaemonSet on every node that should have one. */
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
  /** By set, generation and node. Expired entries are removed every minute. */
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
    this.#pods.addIndexers({
      [targetIndex]: (pod) => (getControllerOfNoCopy(pod)?.kind === kind.kind ? [targetNode(pod) ?? ''] : []),
    });
    this.#watch();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    const forgetting = until(failureGcMs, () => this.#failures.gc(), { clock, signal });
    await Promise.all([this.#loop.run(signal), this.#nodeLoop.run(signal), forgetting]);
  }

  #watch(): void {
    const loop = this.#loop;
    const { expectations } = this.#podControl;
    const enqueue = (set: DaemonSet): void => loop.add(set);
    // A new set of the same name must not wait for the deleted set's expectations.
    loop.follow(this.#sets, (key) => this.#forget(key));
    this.#pods.addEventHandler(
      ownedObjectHandler<Pod, DaemonSet>({
        owners: this.#owners,
        enqueue,
        created: (set) => expectations.creationObserved(metaNamespaceKey(set)),
        deleted: (set, podKey) => expectations.deletionObserved(metaNamespaceKey(set), podKey),
      }),
    );
    this.#history.informer.addEventHandler(ownedObjectHandler({ owners: this.#owners, enqueue }));
    this.#nodes.addEventHandler({
      onAdd: (node) => this.#nodeLoop.add(node),
      onUpdate: (old, node) => {
        const hasMoved =
          !semanticEqual(old.metadata.labels, node.metadata.labels) ||
          !semanticEqual(old.spec?.taints, node.spec?.taints);
        if (hasMoved) this.#nodeLoop.add(node);
      },
      onDelete: (deleted) => this.#enqueueFor(deletedObject(deleted)),
    });
  }

  #enqueueForNode(name: string): void {
    const node = this.#nodes.indexer.getByKey(name);
    if (node) this.#enqueueFor(node);
  }

  /**
   * Queues the sets that are affected by a change or the deletion of the node.
   *
   * Differs from upstream: there, when a node is deleted, or takes no new pods any more but keeps those it has, the numbers in a
   * set's status are updated only at its next other event. Until then a pending pod that its node no longer accepts is not
   * deleted either.
   */
  #enqueueFor(node: Node): void {
    const { name = '' } = node.metadata;
    const isThere = this.#nodes.indexer.getByKey(name) !== undefined;
    const present = new Set(
      this.#pods.indexer.byIndex(targetIndex, name).map((pod) => getControllerOfNoCopy(pod)?.uid),
    );
    for (const set of this.#sets.indexer.values()) {
      const { shouldRun } = this.#fitOf(set)(node);
      const isPresent = present.has(set.metadata.uid);
      const isCounted = isPresent && (set.status?.numberMisscheduled ?? 0) > 0;
      if (shouldRun !== isPresent || isCounted || !isThere) this.#loop.add(set);
    }
  }

  async #reconcile(key: string): Promise<ReconcileResult | undefined> {
    if (!this.#ownWrites.areSeen(key)) return { requeueAfterMs: lookForOwnWritesMs };
    const set = this.#sets.indexer.getByKey(key);
    if (!set) {
      this.#forget(key);
      return;
    }
    const selector = this.#owners.selectorOf(set);
    if (selector.isEmpty()) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
      this.#recorder.event(set, 'Warning', 'SelectingAll', message, { kind: resource });
      return;
    }
    // The revisions of a set that is being deleted may be gone already, so its pods cannot be matched to revisions.
    if (set.metadata.deletionTimestamp || selector.requirements() === undefined) return;

    // Checked before the pods are read: otherwise a pod observed in between would be missing from the list.
    const mayManage = this.#podControl.expectations.satisfied(key);
    const view = await this.#look(key, set);
    const failure = mayManage ? await problemOf(this.#manage(view)) : undefined;
    const counts = countDaemons({ ...view, isUpdated: isUpdatedBy(set, view.revisions.hash) });
    const statusFailure = await problemOf(this.#writeStatus(view, counts, mayManage));
    const problem = failure ?? statusFailure;
    if (problem !== undefined) throw problem;

    // Not decided by the counts: during an update the second pod of a node may have to become available too.
    const waits = view.pods.flatMap((pod) => availableInMs(pod, view.minReadySeconds, view.now) ?? []);
    return waits.length > 0 ? { requeueAfterMs: Math.min(...waits) } : undefined;
  }

  async #look(key: string, set: DaemonSet): Promise<View> {
    const pods = await this.#claimPods(key, set);
    const revisions = await this.#revisions(key, set, pods);
    const placement = placementOf(pods, this.#nodes.indexer.values(), this.#fitOf(set));
    const minReadySeconds = set.spec?.minReadySeconds ?? 0;
    return { key, set, pods, ...placement, revisions, now: this.#context.clock.now(), minReadySeconds };
  }

  /** Creates missing pods and deletes surplus ones. When there are none of either, performs the next step of a rolling update. */
  async #manage(view: View): Promise<void> {
    const { set, revisions } = view;
    const owner = { object: set, resource, reference: newControllerRef(set, kind) };
    const { hash } = revisions;
    const step = this.#planPlacement(view);
    await this.#podControl.sync(owner, { ...step, hash });
    const isInPlace = step.createsOn.length + step.deletes.length === 0;
    if (isInPlace && set.spec?.updateStrategy?.type === 'RollingUpdate') {
      const isAvailable = (pod: Pod): boolean => isPodAvailable(pod, view.minReadySeconds, view.now);
      const update = planUpdate(set, view, { isUpdated: isUpdatedBy(set, hash), isAvailable });
      await this.#podControl.sync(owner, { ...update, hash });
    }
    await this.#truncateHistory(view);
  }

  #planPlacement(view: View): UpdateStep {
    const { set, nodes, lost, revisions } = view;
    const options = { ...view, allowsSurge: allowsSurge(set), hash: revisions.hash };
    const createsOn: string[] = [];
    const deletes: Pod[] = [];
    for (const node of nodes) {
      const { creates, failed, succeeded, surplus } = planNode(node, options);
      if (creates) createsOn.push(node.name);
      deletes.push(...failed.filter((pod) => this.#mayKill(set, pod, node.name)), ...succeeded, ...surplus);
      for (const pod of succeeded) this.#tell(set, 'Normal', 'Succeeded', pod, node.name);
    }
    // Pending pods of nodes that do not exist: the scheduler cannot place them and nothing else deletes them.
    for (const { pods } of lost) deletes.push(...pods.filter(({ spec }) => !spec?.nodeName));
    return { createsOn, deletes };
  }

  /** Whether the failed pod may be deleted now. There is a backoff per node, because a node may reject every replacement. */
  #mayKill(set: DaemonSet, pod: Pod, node: string): boolean {
    const now = this.#context.clock.now();
    const id = `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${node}`;
    if (this.#failures.isInBackoffSinceUpdate(id, now)) {
      this.#loop.addAfter(set, this.#failures.get(id));
      return false;
    }
    this.#failures.next(id, now);
    this.#tell(set, 'Warning', 'Failed', pod, node);
    return true;
  }

  #tell(set: DaemonSet, type: 'Normal' | 'Warning', phase: 'Failed' | 'Succeeded', pod: Pod, node: string): void {
    const what = `Found ${phase.toLowerCase()} daemon pod ${metaNamespaceKey(pod)} on node ${node}`;
    const message = `${what}, will try to ${phase === 'Failed' ? 'kill' : 'delete'} it`;
    this.#recorder.event(set, type, `${phase}DaemonPod`, message, { kind: resource });
  }

  async #revisions(key: string, set: DaemonSet, pods: readonly Pod[]): Promise<DaemonRevisions> {
    const { namespace = '' } = set.metadata;
    const claimed = await this.#history.claim({
      owner: set,
      key,
      matches: (revision) => this.#owners.matches(set, revision),
      canAdopt: () => this.#canAdopt(set),
      releases: true,
    });
    return await daemonRevisions(set, claimed, {
      history: this.#history,
      pods,
      relabel: async ({ metadata: { name = '' } }, hash) => {
        const patch = { metadata: { labels: { [hashLabel]: hash } } };
        await this.#context.clients.core.v1.pods(namespace).patch(name, 'merge', patch);
      },
      countCollision: () => this.#countCollision(set),
    });
  }

  async #countCollision(set: DaemonSet): Promise<void> {
    const { namespace = '', name = '' } = set.metadata;
    const client = this.#context.clients.apps.v1.daemonSets(namespace);
    const fresh = await client.get(name);
    // The cached set was stale. With the server's current count there may be no collision.
    if (fresh.status?.collisionCount !== set.status?.collisionCount) return;
    const status = { ...noCounts, ...fresh.status, collisionCount: (fresh.status?.collisionCount ?? 0) + 1 };
    await client.updateStatus({ ...fresh, status });
  }

  #claimPods(key: string, set: DaemonSet): Promise<Pod[]> {
    return claimPods({
      owner: set,
      key,
      reference: newControllerRef(set, kind),
      matches: (pod) => this.#owners.matches(set, pod),
      canAdopt: () => this.#canAdopt(set),
      pods: this.#pods,
      clients: this.#context.clients,
      ownWrites: this.#ownWrites,
    });
  }

  #canAdopt(set: DaemonSet): Promise<void> {
    const { namespace = '', name = '' } = set.metadata;
    return recheckOwner(set, kind.kind, () => this.#context.clients.apps.v1.daemonSets(namespace).get(name));
  }

  async #writeStatus({ key, set }: View, counts: DaemonCounts, hasManaged: boolean): Promise<void> {
    const observedGeneration = (hasManaged ? set.metadata.generation : set.status?.observedGeneration) ?? 0;
    if (!isOutdated(set, { ...counts, observedGeneration })) return;
    const client = this.#context.clients.apps.v1.daemonSets(set.metadata.namespace ?? '');
    const updated = await updateStatus<DaemonSet>(client, set, (fresh) => ({
      ...fresh,
      status: { ...fresh.status, ...counts, observedGeneration },
    }));
    this.#ownWrites.wrote(key, this.#sets, updated.metadata.resourceVersion);
  }

  /** Deletes old revisions beyond `revisionHistoryLimit`, except those that existing pods were created from. */
  async #truncateHistory({ set, pods, revisions: { old } }: View): Promise<void> {
    const limit = set.spec?.revisionHistoryLimit ?? 10;
    if (old.length <= limit) return;
    const live = new Set(pods.map(({ metadata }) => metadata.labels?.[hashLabel]));
    const isLive = ({ metadata }: ControllerRevision): boolean => live.has(metadata.labels?.[hashLabel]);
    for (const revision of revisionsToDelete(old, isLive, () => old.length - limit))
      await this.#history.delete(revision);
  }

  #fitOf(set: DaemonSet): (node: Node) => NodeFit {
    const known = this.#fits.get(set);
    if (known) return known;
    const fitOf = nodeFitOf(set);
    this.#fits.set(set, fitOf);
    return fitOf;
  }

  #forget(key: string): void {
    this.#podControl.expectations.deleteExpectations(key);
    this.#ownWrites.forget(key);
  }
}
