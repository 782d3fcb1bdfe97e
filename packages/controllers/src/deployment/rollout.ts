import type { Deployment, DeploymentStatus, ReplicaSet } from '@coxswain/api/apps/v1';
import { hasStatusCause, isAlreadyExists, isNotFound, messageOf } from '@coxswain/apimachinery/errors';
import { isControlledBy } from '@coxswain/apimachinery/meta';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import type { ClientSet, Clock, EventRecorder, EventType } from '@coxswain/client';
import { conditionOf, type Finding, foundAt, withCondition } from './conditions.ts';
import { deploymentKind, newReplicaSet } from './new-replica-set.ts';
import {
  foundNewReplicaSet,
  newReplicaSetCreated,
  progressCheckInMs,
  progressDeadlineMs,
  replicaSetCreateError,
  rolloutStatus,
} from './progress.ts';
import { byAge, findNewSet, isSameTemplate, sizeOf } from './replica-sets.ts';
import {
  annotationsOfCurrentSet,
  byRevision,
  maxRevision,
  replicasAnnotations,
  revisionAnnotation,
} from './revision.ts';
import type { Resize } from './scaling.ts';
import { deploymentStatus, isSameStatus, withConditions } from './status.ts';

export interface RolloutOptions {
  readonly clients: ClientSet;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  /** Returns the cached ReplicaSet of that name in the deployment's namespace. */
  readonly cachedSet: (name: string) => ReplicaSet | undefined;
  /** Called with every object that was written. */
  readonly wrote: (written: Deployment | ReplicaSet) => void;
}

const keepsAllRevisions = 2 ** 31 - 1;

/** A deployment and its ReplicaSets, and the operations on them. The properties reflect earlier writes of this rollout. */
export class Rollout {
  #deployment: Deployment;
  /** The ReplicaSet with the deployment's template. */
  #newSet: ReplicaSet | undefined;
  /** Oldest first. */
  #oldSets: ReplicaSet[];
  readonly #options: RolloutOptions;

  constructor(deployment: Deployment, sets: readonly ReplicaSet[], options: RolloutOptions) {
    this.#deployment = deployment;
    this.#newSet = findNewSet(deployment, sets);
    this.#oldSets = sets.filter((set) => set !== this.#newSet).sort(byAge);
    this.#options = options;
  }

  get deployment(): Deployment {
    return this.#deployment;
  }

  get newSet(): ReplicaSet | undefined {
    return this.#newSet;
  }

  get oldSets(): readonly ReplicaSet[] {
    return this.#oldSets;
  }

  get sets(): readonly ReplicaSet[] {
    return this.#newSet ? [...this.#oldSets, this.#newSet] : this.#oldSets;
  }

  /** Updates the new ReplicaSet's annotations and the deployment's revision. Does nothing without a new ReplicaSet. */
  async syncRevision(): Promise<void> {
    const set = this.#newSet;
    if (!set) return;
    const deployment = this.#deployment;
    const annotations = annotationsOfCurrentSet(deployment, set, maxRevision(this.#oldSets) + 1n);
    const { minReadySeconds = 0 } = deployment.spec!;
    if (
      !semanticEqual(annotations, set.metadata.annotations ?? {}) ||
      minReadySeconds !== (set.spec?.minReadySeconds ?? 0)
    ) {
      const metadata = { ...set.metadata, annotations };
      this.#newSet = await this.#updateSet({ ...set, metadata, spec: { ...set.spec!, minReadySeconds } });
    }
    const isFirstSeen = !conditionOf(deployment.status?.conditions, 'Progressing');
    await this.#noteRevision(
      annotations[revisionAnnotation] ?? '',
      isFirstSeen ? foundNewReplicaSet(set.metadata.name!) : undefined,
    );
  }

  /**
   * Creates the new ReplicaSet, or uses an existing one of that name and template. Rejects when that fails, and records the
   * reason in the deployment's conditions and events.
   */
  async createNewSet(): Promise<void> {
    const wanted = newReplicaSet(this.#deployment, this.#oldSets);
    const name = wanted.metadata.name!;
    let created: ReplicaSet | undefined;
    try {
      created = await this.#sets.create(wanted);
      this.#options.wrote(created);
    } catch (error) {
      if (isAlreadyExists(error)) this.#newSet = await this.#existingSet(name, error);
      else await this.#creationFailed(name, error);
    }
    if (created) {
      this.#newSet = created;
      const size = sizeOf(created);
      if (size > 0) this.tell('Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${size}`);
    }
    await this.#noteRevision(
      wanted.metadata.annotations![revisionAnnotation]!,
      created ? newReplicaSetCreated(name) : undefined,
    );
  }

  /** Resizes the ReplicaSets one after the other. Returns whether the size of any has changed. */
  async resize(resizes: readonly Resize[]): Promise<boolean> {
    let isResized = false;
    for (const resize of resizes) if (await this.#resizeOne(resize)) isResized = true;
    return isResized;
  }

  /** Deletes the oldest ReplicaSets without pods, beyond revisionHistoryLimit. */
  async cleanUp(): Promise<void> {
    const limit = this.#deployment.spec?.revisionHistoryLimit ?? keepsAllRevisions;
    if (limit === keepsAllRevisions) return;
    const alive = this.#oldSets.filter(({ metadata }) => !metadata.deletionTimestamp).sort(byRevision);
    for (const set of alive.slice(0, Math.max(alive.length - limit, 0))) {
      const { name = '', generation = 0 } = set.metadata;
      const { replicas = 0, observedGeneration = 0 } = set.status ?? {};
      if (replicas > 0 || sizeOf(set) > 0 || generation > observedGeneration) continue;
      await this.#sets.delete(name).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  }

  /** Writes the deployment's status if it has changed. */
  async syncStatus(): Promise<undefined> {
    await this.#writeIfNew(deploymentStatus(this.#deployment, this.#newSet, this.#oldSets, this.#time));
  }

  /** Like `syncStatus`, with the progress conditions. Returns the milliseconds until the next check, if any. */
  async syncRolloutStatus(): Promise<number | undefined> {
    const [newSet, oldSets] = [this.#newSet, this.#oldSets];
    const status = deploymentStatus(this.#deployment, newSet, oldSets, this.#time);
    const now = this.#options.clock.now();
    const found = rolloutStatus(this.#deployment, newSet, oldSets, { status, now, time: this.#time });
    await this.#writeIfNew(found);
    return progressCheckInMs(this.#deployment, found, now);
  }

  /** Sets a condition in the deployment's status. */
  async note(finding: Finding): Promise<void> {
    await this.#writeStatus(this.#withFinding(finding));
  }

  /** Updates the deployment. */
  async update(deployment: Deployment): Promise<void> {
    this.#written(await this.#deployments.update(deployment));
  }

  tell(type: EventType, reason: string, message: string): void {
    this.#options.recorder.event(this.#deployment, type, reason, message, { kind: deploymentKind });
  }

  async #resizeOne({ set: { metadata }, size, alwaysAnnotate }: Resize): Promise<boolean> {
    const set = this.sets.find(({ metadata: { uid } }) => uid === metadata.uid)!;
    const before = sizeOf(set);
    if (before === size && !alwaysAnnotate) return false;
    const annotations = { ...set.metadata.annotations, ...replicasAnnotations(this.#deployment) };
    if (before === size && semanticEqual(annotations, set.metadata.annotations ?? {})) return false;
    const updated = await this.#updateSet({
      ...set,
      metadata: { ...set.metadata, annotations },
      spec: { ...set.spec!, replicas: size },
    });
    if (set === this.#newSet) this.#newSet = updated;
    else this.#oldSets = this.#oldSets.map((other) => (other === set ? updated : other));
    if (before === size) return false;
    const direction = before < size ? 'up' : 'down';
    const { name } = updated.metadata;
    this.tell('Normal', 'ScalingReplicaSet', `Scaled ${direction} replica set ${name} from ${before} to ${size}`);
    return true;
  }

  /**
   * Returns the ReplicaSet of that name if this deployment owns it and the template is the same. Otherwise increments
   * collisionCount, so that the next attempt uses another name, and throws.
   */
  async #existingSet(name: string, error: unknown): Promise<ReplicaSet> {
    const deployment = this.#deployment;
    const set = this.#options.cachedSet(name);
    // The cache is stale. Retry later.
    if (!set) throw error;
    if (isControlledBy(set, deployment) && isSameTemplate(set.spec?.template, deployment.spec?.template)) return set;
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    // If this fails, the next attempt collides again and retries it.
    await this.#writeStatus({ ...deployment.status, collisionCount }).catch(() => {});
    throw error;
  }

  async #creationFailed(name: string, error: unknown): Promise<never> {
    // The namespace is being deleted: not reported.
    if (hasStatusCause(error, 'NamespaceTerminating')) throw error;
    const reason = messageOf(error);
    const message = `Failed to create new replica set "${name}": ${reason}`;
    if (progressDeadlineMs(this.#deployment) !== undefined) {
      // If this write fails too, the original error is the one to throw.
      await this.note(replicaSetCreateError(message)).catch(() => {});
    }
    this.tell('Warning', 'ReplicaSetCreateError', message);
    throw error;
  }

  async #noteRevision(revision: string, finding: Finding | undefined): Promise<void> {
    const { metadata, status } = this.#deployment;
    const noted = progressDeadlineMs(this.#deployment) === undefined ? undefined : finding;
    if (metadata.annotations?.[revisionAnnotation] === revision && !noted) return;
    // The server accepts changed annotations in a status update.
    await this.#writeStatus(noted ? this.#withFinding(noted) : (status ?? {}), {
      ...metadata.annotations,
      [revisionAnnotation]: revision,
    });
  }

  #withFinding(finding: Finding): DeploymentStatus {
    const status = this.#deployment.status ?? {};
    return withConditions(status, withCondition(status.conditions ?? [], foundAt(finding, this.#time)));
  }

  async #writeIfNew(status: DeploymentStatus): Promise<void> {
    if (!isSameStatus(this.#deployment.status, status)) await this.#writeStatus(status);
  }

  async #writeStatus(status: DeploymentStatus, annotations = this.#deployment.metadata.annotations): Promise<void> {
    const { metadata } = this.#deployment;
    this.#written(
      await this.#deployments.updateStatus({
        ...this.#deployment,
        metadata: { ...metadata, ...(annotations && { annotations }) },
        status,
      }),
    );
  }

  #written(deployment: Deployment): void {
    this.#deployment = deployment;
    this.#options.wrote(deployment);
  }

  async #updateSet(set: ReplicaSet): Promise<ReplicaSet> {
    const updated = await this.#sets.update(set);
    this.#options.wrote(updated);
    return updated;
  }

  get #time(): string {
    return timeFromDate(new Date(this.#options.clock.now()));
  }

  get #deployments() {
    return this.#options.clients.apps.v1.deployments(this.#deployment.metadata.namespace ?? '');
  }

  get #sets() {
    return this.#options.clients.apps.v1.replicaSets(this.#deployment.metadata.namespace ?? '');
  }
}
