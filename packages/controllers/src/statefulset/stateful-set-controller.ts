import type { ControllerRevision, StatefulSet, StatefulSetStatus } from '@coxswain/api/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@coxswain/api/core/v1';
import { labelSelectorAsSelector } from '@coxswain/apimachinery/labels';
import { GroupVersionKind, type KubernetesObject, newControllerRef } from '@coxswain/apimachinery/meta';
import {
  type ReconcileResult,
  type ResourceDescription,
  type SharedIndexInformer,
  slowStartBatch,
} from '@coxswain/client';
import { availableInMs } from '@coxswain/component-helpers';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { problemOf } from '../framework/failures/problem-of.ts';
import { revisionsToDelete, templateIn } from '../framework/history/controller-revision.ts';
import { ControllerRevisionHistory } from '../framework/history/controller-revision-history.ts';
import { addControllerIndex } from '../framework/ownership/controller-index.ts';
import { ownedObjectHandler } from '../framework/ownership/owned-object-handler.ts';
import { OwnerLookup } from '../framework/ownership/owner-lookup.ts';
import { recheckOwner } from '../framework/ownership/recheck-owner.ts';
import { claimPods } from '../framework/pods/owned-pods.ts';
import { lookForOwnWritesMs, OwnWrites } from '../framework/writes/own-writes.ts';
import { updateStatus } from '../framework/writes/update-status.ts';
import { isMember, revisionOf } from './identity.ts';
import { newPod } from './new-pod.ts';
import {
  nextToCondemn,
  type Readiness,
  type Replica,
  type Replicas,
  type Step,
  type StepConditions,
  sortOut,
  stepFor,
} from './replicas.ts';
import { type CurrentAndUpdate, currentAndUpdate } from './revisions.ts';
import { podsToUpdate, staysAtCurrentRevision } from './rolling-update.ts';
import { StatefulPodControl } from './stateful-pod-control.ts';
import { isOutdated, statefulSetStatus } from './status.ts';

const resource: ResourceDescription = {
  group: 'apps',
  version: 'v1',
  resource: 'statefulsets',
  kind: 'StatefulSet',
  namespaced: true,
};
const kind = GroupVersionKind.of(resource.group, resource.version, resource.kind);

/** The maximum number of parallel pod requests for one set with parallel pod management. */
const maxBatchSize = 500;

/** The changes to the pods of a set during a reconcile. */
interface Progress {
  readonly created: Pod[];
  deletedForUpdate: number;
}

/** Reconciles StatefulSets: each pod has its own name and its own claims. */
export class StatefulSetController implements Controller {
  readonly #context: ControllerContext;
  readonly #sets: SharedIndexInformer<StatefulSet>;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #claims: SharedIndexInformer<PersistentVolumeClaim>;
  readonly #ownWrites = new OwnWrites();
  readonly #history: ControllerRevisionHistory<StatefulSet>;
  readonly #owners: OwnerLookup<StatefulSet>;
  readonly #podControl: StatefulPodControl;
  readonly #loop: ReconcileLoop;
  /** Sets that wait until their own writes of claims or revisions are observed. Events of these objects queue only waiting sets. */
  readonly #waiting = new Set<string>();

  constructor(context: ControllerContext) {
    const { informers, clients } = context;
    this.#context = context;
    this.#sets = informers.apps.v1.statefulSets.informer;
    this.#pods = informers.core.v1.pods.informer;
    this.#claims = informers.core.v1.persistentVolumeClaims.informer;
    this.#history = new ControllerRevisionHistory(context, resource, this.#ownWrites);
    this.#owners = new OwnerLookup(this.#sets, resource.kind, ({ spec }) => labelSelectorAsSelector(spec?.selector));
    this.#podControl = new StatefulPodControl({
      clients,
      recorder: context.recorder('statefulset-controller'),
      sets: resource,
      pods: this.#pods,
      claims: this.#claims,
      ownWrites: this.#ownWrites,
    });
    this.#loop = new ReconcileLoop(context, {
      name: 'statefulset',
      synced: [this.#sets, this.#pods, this.#claims, this.#history.informer],
      reconcile: (key) => this.#reconcile(key),
    });
    addControllerIndex(this.#pods);
    this.#watch();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  #watch(): void {
    const loop = this.#loop;
    loop.follow(this.#sets, (key) => this.#ownWrites.forget(key));
    this.#pods.addEventHandler(ownedObjectHandler({ owners: this.#owners, enqueue: (set) => loop.add(set) }));
    const wake = (): void => {
      for (const key of this.#waiting) loop.queue.add(key);
      this.#waiting.clear();
    };
    this.#claims.addEventHandler({ onAdd: wake, onUpdate: wake });
    this.#history.informer.addEventHandler({ onAdd: wake, onUpdate: wake });
  }

  async #reconcile(key: string): Promise<ReconcileResult | undefined> {
    if (!this.#ownWrites.areSeen(key)) {
      this.#waiting.add(key);
      return { requeueAfterMs: lookForOwnWritesMs };
    }
    const set = this.#sets.indexer.getByKey(key);
    if (!set) {
      this.#ownWrites.forget(key);
      return;
    }
    // The selector is invalid, so the set's pods cannot be identified.
    if (this.#owners.selectorOf(set).requirements() === undefined) return;
    const revisions = await this.#claimRevisions(key, set);
    const pods = await this.#claimPods(key, set);
    const between = await currentAndUpdate(set, revisions, this.#history);
    if (!between) return;

    const readiness = { minReadySeconds: set.spec?.minReadySeconds ?? 0, now: this.#context.clock.now() };
    const { failure, status } = await this.#manage(set, pods, between, readiness);
    const problems = [
      failure,
      await problemOf(this.#writeStatus(key, set, status)),
      await problemOf(this.#truncateHistory(set, pods, revisions, between)),
    ];
    const problem = problems.find((one) => one !== undefined);
    if (problem !== undefined) throw problem;
    if (readiness.minReadySeconds === 0 || status.readyReplicas === status.availableReplicas) return;
    const waits = pods.flatMap((pod) => availableInMs(pod, readiness.minReadySeconds, readiness.now) ?? []);
    return { requeueAfterMs: Math.min(readiness.minReadySeconds * 1000, ...waits) };
  }

  /** Performs the next steps for the pods. Returns the new status, and the failure if there was one. */
  async #manage(
    set: StatefulSet,
    pods: readonly Pod[],
    between: CurrentAndUpdate,
    readiness: Readiness,
  ): Promise<{ readonly failure: unknown; readonly status: StatefulSetStatus }> {
    const replicas = sortOut(set, pods);
    const progress: Progress = { created: [], deletedForUpdate: 0 };
    let failure: unknown;
    try {
      if (!set.metadata.deletionTimestamp)
        await this.#scaleAndUpdate(set, replicas, between, { ...readiness, progress });
    } catch (error) {
      failure = error;
    }
    const { current, update, collisionCount } = between;
    const { created, deletedForUpdate } = progress;
    const status = statefulSetStatus(set, {
      ...readiness,
      deletedForUpdate,
      // Differs from upstream, which counts a pod only once it is observed: where pods become ready within milliseconds, clients
      // would see a ready pod of a set whose status has none.
      pods: [...replicas.wanted.flatMap(({ pod }) => pod ?? []), ...created, ...replicas.condemned],
      revisions: { current: nameOf(current), update: nameOf(update), collisionCount },
    });
    return { failure, status };
  }

  async #scaleAndUpdate(
    set: StatefulSet,
    replicas: Replicas,
    between: CurrentAndUpdate,
    { progress, ...readiness }: Readiness & { readonly progress: Progress },
  ): Promise<void> {
    const { wanted, condemned } = replicas;
    const isOrdered = set.spec?.podManagementPolicy !== 'Parallel';
    const conditions = this.#conditions(set, isOrdered, readiness);
    if (isOrdered) {
      for (const replica of wanted) {
        const { actions, blocks } = stepFor(replica, conditions);
        await this.#carryOut(set, replica, actions, between, progress);
        if (blocks) return;
      }
      for (const pod of condemned) await this.#podControl.prepareClaims(set, pod);
      const next = nextToCondemn(replicas, readiness);
      if (next) await this.#podControl.delete(set, next);
      // Updates wait until scaling is complete.
      if (condemned.length > 0) return;
    } else {
      const steps = wanted.map((replica) => ({ replica, actions: stepFor(replica, conditions).actions }));
      const due = steps.filter(({ actions }) => actions.length > 0);
      await inBatches(due, ({ replica, actions }) => this.#carryOut(set, replica, actions, between, progress));
      await inBatches(condemned, (pod) => this.#podControl.prepareClaims(set, pod));
      const lasting = condemned.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      await inBatches(lasting, (pod) => this.#podControl.delete(set, pod));
    }
    for (const pod of podsToUpdate(set, wanted, nameOf(between.update), readiness)) {
      await this.#podControl.delete(set, pod);
      progress.deletedForUpdate++;
    }
  }

  #conditions(set: StatefulSet, isOrdered: boolean, readiness: Readiness): StepConditions {
    return {
      ...readiness,
      isOrdered,
      hasStaleClaim: (ordinal) => this.#podControl.hasStaleClaim(set, ordinal),
      isInOrder: (pod) => this.#podControl.isInOrder(set, pod),
    };
  }

  async #carryOut(
    set: StatefulSet,
    { ordinal, pod }: Replica,
    actions: Step['actions'],
    between: CurrentAndUpdate,
    { created }: Progress,
  ): Promise<void> {
    for (const action of actions) {
      if (!pod) {
        const pod = this.#newPod(set, ordinal, between);
        await this.#podControl.create(set, pod);
        created.push(pod);
      } else if (action === 'delete') await this.#podControl.delete(set, pod);
      else if (action === 'createClaims') await this.#podControl.createMissingClaims(set, pod);
      else if (action === 'repair') await this.#podControl.repair(set, pod);
    }
  }

  #newPod(set: StatefulSet, ordinal: number, { current, update }: CurrentAndUpdate): Pod {
    const revision = staysAtCurrentRevision(set, ordinal) ? current : update;
    const template = templateIn(revision) ?? set.spec?.template ?? {};
    const owner = { object: set, resource, reference: newControllerRef(set, kind) };
    return newPod(set, owner, { revision: nameOf(revision), template }, ordinal);
  }

  #claimRevisions(key: string, set: StatefulSet): Promise<ControllerRevision[]> {
    return this.#history.claim({
      owner: set,
      key,
      matches: (revision) => this.#owners.matches(set, revision),
      canAdopt: () => this.#canAdopt(set),
      releases: false,
    });
  }

  #claimPods(key: string, set: StatefulSet): Promise<Pod[]> {
    return claimPods({
      owner: set,
      key,
      reference: newControllerRef(set, kind),
      matches: (pod) => isMember(set, pod) && this.#owners.matches(set, pod),
      canAdopt: () => this.#canAdopt(set),
      pods: this.#pods,
      clients: this.#context.clients,
      ownWrites: this.#ownWrites,
    });
  }

  #canAdopt(set: StatefulSet): Promise<void> {
    const { namespace = '', name = '' } = set.metadata;
    return recheckOwner(set, kind.kind, () => this.#context.clients.apps.v1.statefulSets(namespace).get(name));
  }

  async #writeStatus(key: string, set: StatefulSet, status: StatefulSetStatus): Promise<void> {
    if (!isOutdated(set, status)) return;
    const client = this.#context.clients.apps.v1.statefulSets(set.metadata.namespace ?? '');
    const updated = await updateStatus<StatefulSet>(client, set, (fresh) => ({ ...fresh, status }));
    this.#ownWrites.wrote(key, this.#sets, updated.metadata.resourceVersion);
  }

  /** Deletes unused revisions beyond revisionHistoryLimit. */
  async #truncateHistory(
    { spec }: StatefulSet,
    pods: readonly Pod[],
    revisions: readonly ControllerRevision[],
    { current, update }: CurrentAndUpdate,
  ): Promise<void> {
    const limit = spec?.revisionHistoryLimit ?? 10;
    if (limit < 0 || revisions.length <= limit) return;
    const live = new Set([nameOf(current), nameOf(update), ...pods.map(revisionOf)]);
    const excess = revisionsToDelete(
      revisions,
      (revision) => live.has(nameOf(revision)),
      (unused) => unused - limit,
    );
    for (const revision of excess) await this.#history.delete(revision);
  }
}

const nameOf = ({ metadata }: KubernetesObject): string => metadata?.name ?? '';

/** Calls `call` in batches of growing size: 1, 2, 4 and so on. Stops after the batch with a failure and rejects with it. */
async function inBatches<T>(items: readonly T[], call: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const next = async (): Promise<void> => {
    const { value, done } = queue.next();
    if (!done) await call(value);
  };
  const { error } = await slowStartBatch(items.length, next, { maxBatchSize });
  if (error !== undefined) throw error;
}
