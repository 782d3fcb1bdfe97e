import type { Job, JobStatus } from '@coxswain/api/batch/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { isNotFound, messageOf } from '@coxswain/apimachinery/errors';
import { labelSelectorAsSelector } from '@coxswain/apimachinery/labels';
import { isControlledBy } from '@coxswain/apimachinery/meta';
import { timeFromDate } from '@coxswain/apimachinery/time';
import {
  deletedObject,
  type EventRecorder,
  metaNamespaceKey,
  type ReconcileResult,
  type SharedIndexInformer,
} from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { inParallel } from '../framework/failures/in-parallel.ts';
import { hasFinalizer, withFinalizer } from '../framework/finalizers/finalizers.ts';
import { addControllerIndex, controlledBy, orphansIn } from '../framework/ownership/controller-index.ts';
import { claimObjects } from '../framework/ownership/owned-objects.ts';
import { OwnerLookup } from '../framework/ownership/owner-lookup.ts';
import { recheckOwner } from '../framework/ownership/recheck-owner.ts';
import { OwnWrites } from '../framework/writes/own-writes.ts';
import { type BackoffRecord, backoffAfter, noFailures } from './backoff.ts';
import { interimType, type JobOutcome, newCondition, withCondition } from './job-conditions.ts';
import { type JobObservation, observeJob, trackingFinalizer } from './job-observation.ts';
import { completionsReached, decideOutcome, remainingDeadlineMs } from './job-outcome.ts';
import { JobPods, jobReference, mostWritesAtOnce, type PodCounts } from './job-pods.ts';
import { compact, finishedStatus, isSameStatus, suspensionOf } from './job-status.ts';
import { isJobFinished, jobResource } from './jobs.ts';
import { isManagedByOther, newJobRateLimiter, newOrphanPodLoop, releasePatch } from './orphan-pods.ts';
import { planPods } from './pod-plan.ts';
import { podHandler } from './pod-watch.ts';
import { countReleased, noteTerminated } from './terminated-pods.ts';

/** Changes of pods within this time are handled by one reconcile. */
const batchPeriodMs = 1000;

/** Runs pods for Jobs until they are finished, and counts them. */
export class JobController implements Controller {
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #jobs: SharedIndexInformer<Job>;
  readonly #pods: SharedIndexInformer<Pod>;
  readonly #lookup: OwnerLookup<Job>;
  readonly #jobPods: JobPods;
  readonly #loop: ReconcileLoop;
  readonly #orphans: ReconcileLoop;
  readonly #ownWrites = new OwnWrites();
  /** The failures since the last success, by key of unfinished Jobs. */
  readonly #backoffs = new Map<string, BackoffRecord>();
  /** By key: the uids of pods whose finalizer was removed but is still in the cache. */
  readonly #released = new Map<string, Set<string>>();
  /** The uids of Jobs that are finished but not yet so in the cache. */
  readonly #finished = new Set<string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#recorder = context.recorder('job-controller');
    this.#jobs = context.informers.batch.v1.jobs.informer;
    this.#pods = context.informers.core.v1.pods.informer;
    this.#lookup = new OwnerLookup(this.#jobs, 'Job', ({ spec }) => labelSelectorAsSelector(spec?.selector));
    this.#jobPods = new JobPods(context, this.#recorder, (key, pod) =>
      this.#ownWrites.wrote(key, this.#pods, pod.metadata.resourceVersion),
    );
    this.#loop = new ReconcileLoop(context, {
      name: 'job',
      synced: [this.#jobs, this.#pods],
      reconcile: (key) => this.#reconcile(key),
      rateLimiter: newJobRateLimiter(),
    });
    this.#orphans = newOrphanPodLoop(context, this.#pods, this.#jobs, this.#lookup);
    addControllerIndex(this.#pods);
    this.#watch();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#loop.run(signal), this.#orphans.run(signal)]);
  }

  async #reconcile(key: string): Promise<ReconcileResult | undefined> {
    if (!this.#ownWrites.areSeen(key)) return { requeueAfterMs: batchPeriodMs };
    const job = this.#jobs.indexer.getByKey(key);
    if (!job) {
      this.#forget(key);
      return;
    }
    if (isJobFinished(job)) {
      this.#onEnd(job);
      return;
    }
    if (isManagedByOther(job) || this.#finished.has(job.metadata.uid ?? '')) return;
    const { completionMode = 'NonIndexed' } = job.spec ?? {};
    if (completionMode !== 'NonIndexed' && completionMode !== 'Indexed') {
      this.#tell(job, 'Warning', 'UnknownCompletionMode', 'Skipped Job sync because completion mode is unknown');
      return;
    }
    // Both are read before the pods: an event in between must not change how the pods are interpreted.
    const hasSeenAll = this.#jobPods.hasSeenAll(key);
    const released = new Set(this.#released.get(key));
    const seen = observeJob(job, await this.#claimPods(key, job), released);
    const now = this.#context.clock.now();
    const backoff = backoffAfter(this.#backoffs.get(key) ?? noFailures, seen.newlySucceeded, seen.newlyFailed);

    let { startTime, conditions } = job.status ?? {};
    if (!job.spec?.suspend) startTime ??= timeFromDate(new Date(now));
    const startTimeMs = startTime === undefined ? undefined : Date.parse(startTime);
    let outcome = decideOutcome(seen, startTimeMs, now);
    let counts: PodCounts = { active: seen.active.length, ready: seen.ready, terminating: seen.terminating };
    let failure: unknown;
    if (outcome) {
      ({ counts, failure } = await this.#jobPods.deleteActive(job, seen.active, counts));
      // If the cache lacks pods or some could not be deleted, ending the Job now would leave pods behind.
      if (counts.active > 0 || !hasSeenAll) outcome = undefined;
    } else {
      const mayManage = hasSeenAll && !job.metadata.deletionTimestamp;
      if (mayManage) ({ counts, failure } = await this.#managePods(key, seen, backoff, counts, now));
      outcome = completionsReached(seen, counts.active);
      const suspension = !outcome && mayManage && suspensionOf(job, now);
      if (suspension) {
        ({ startTime, conditions } = suspension);
        this.#tell(job, 'Normal', suspension.event, `Job ${suspension.event.toLowerCase()}`);
      }
    }

    const { startTime: _, ...status } = job.status ?? {};
    const written = { ...status, ...counts, ...(startTime && { startTime }), ...(conditions && { conditions }) };
    await this.#track(key, seen, written, outcome, backoff);
    if (failure !== undefined) throw failure;
    const deadlineMs = outcome ? undefined : remainingDeadlineMs(seen, startTimeMs, now);
    return deadlineMs === undefined ? undefined : { requeueAfterMs: deadlineMs };
  }

  /** Creates missing pods or deletes surplus ones. */
  async #managePods(
    key: string,
    seen: JobObservation,
    backoff: BackoffRecord,
    counts: PodCounts,
    now: number,
  ): Promise<{ counts: PodCounts; failure?: unknown }> {
    const { remove, create, waitMs } = planPods(seen, backoff, now);
    if (waitMs !== undefined) this.#loop.queue.addAfter(key, Math.max(waitMs, batchPeriodMs));
    if (remove.length > 0) return await this.#jobPods.remove(key, seen.job, remove, counts);
    if (create.length > 0) return await this.#jobPods.create(key, seen, create, counts);
    return { counts };
  }

  /**
   * Counts terminated pods in steps, after each of which the controller may be interrupted: their uids are written to the status,
   * then their finalizers are removed, then they are counted. The first write also announces the outcome of a Job that ends; the
   * final condition is written when all its pods are counted.
   */
  async #track(
    key: string,
    seen: JobObservation,
    before: JobStatus,
    outcome: JobOutcome | undefined,
    backoff: BackoffRecord,
  ): Promise<void> {
    let { job } = seen;
    const now = this.#context.clock.now();
    const tracked = new Set(seen.pods.filter(seen.isTracked).map(({ metadata }) => metadata.uid ?? ''));
    const isTracked = (uid: string): boolean => tracked.has(uid);
    const { status, release, isPartial } = noteTerminated(seen, countReleased(before, isTracked), outcome);
    const announced = outcome ? announce(status, outcome, now) : status;
    if (!isSameStatus(job.status, announced)) {
      job = await this.#updateStatus(key, job, announced, 'adding uncounted pods to status');
      this.#backoffs.set(key, backoff);
    }

    const failure = await this.#release(key, job, release, (uid) => tracked.delete(uid));
    const counted = countReleased(announced, isTracked);
    const finished = failure || !outcome || isPartial ? undefined : finishedStatus(counted, outcome, now);
    if (finished || counted !== announced) {
      job = await this.#updateStatus(key, job, finished ?? counted, 'removing uncounted pods from status');
    }
    if (failure) throw new Error(`tracking status: ${failure.message}`, { cause: failure });
    if (finished && outcome) this.#tellFinished(key, job, outcome);
  }

  /** Removes the finalizer from pods. Returns the failure, if any. */
  async #release(
    key: string,
    job: Job,
    pods: readonly Pod[],
    onReleased: (uid: string) => void,
  ): Promise<Error | undefined> {
    if (pods.length === 0) return undefined;
    const { namespace = '' } = job.metadata;
    const released = this.#released.get(key) ?? new Set();
    this.#released.set(key, released);
    const client = this.#context.clients.core.v1.pods(namespace);
    try {
      await inParallel(pods, mostWritesAtOnce, async (pod) => {
        const { name = '', uid = '' } = pod.metadata;
        // Recorded before the response, because the watch event may arrive earlier.
        released.add(uid);
        try {
          const patched = await client.patch(name, 'strategic-merge', releasePatch(pod));
          this.#ownWrites.wrote(key, this.#pods, patched.metadata.resourceVersion);
        } catch (error) {
          released.delete(uid);
          if (!isNotFound(error)) throw error;
        }
        onReleased(uid);
      });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #updateStatus(key: string, job: Job, status: JobStatus, step: string): Promise<Job> {
    try {
      const client = this.#context.clients.batch.v1.jobs(job.metadata.namespace ?? '');
      const updated = await client.updateStatus({ ...job, status: compact(status) });
      this.#ownWrites.wrote(key, this.#jobs, updated.metadata.resourceVersion);
      return updated;
    } catch (error) {
      throw new Error(`tracking status: ${step}: ${messageOf(error)}`, { cause: error });
    }
  }

  #tellFinished(key: string, job: Job, outcome: JobOutcome): void {
    this.#finished.add(job.metadata.uid ?? '');
    this.#backoffs.delete(key);
    if (!outcome.hasSucceeded) {
      this.#tell(job, 'Warning', outcome.reason, outcome.message);
      return;
    }
    const { completions = Number.POSITIVE_INFINITY } = job.spec ?? {};
    if ((job.status?.succeeded ?? 0) > completions) {
      const message = 'Too many succeeded pods running after completion count reached';
      this.#tell(job, 'Warning', 'TooManySucceededPods', message);
    }
    this.#tell(job, 'Normal', 'Completed', 'Job completed');
  }

  /** Returns the Job's pods. Adopted pods have the finalizer on the server, but not yet in the cache, so it is added. */
  async #claimPods(key: string, job: Job): Promise<Pod[]> {
    const { name = '', namespace = '', uid = '', deletionTimestamp } = job.metadata;
    const { jobs } = this.#context.clients.batch.v1;
    const { indexer } = this.#pods;
    const claimed = await claimObjects(
      [...controlledBy(indexer, uid), ...orphansIn(indexer, namespace)],
      {
        owner: { uid, reference: jobReference(job), isBeingDeleted: deletionTimestamp !== undefined },
        matches: (pod) => this.#lookup.matches(job, pod),
        canAdopt: () => recheckOwner(job, 'Job', () => jobs(namespace).get(name)),
        patch: async (pod, patch) => {
          const client = this.#context.clients.core.v1.pods(namespace);
          const patched = await client.patch(pod.metadata.name ?? '', 'strategic-merge', patch);
          this.#ownWrites.wrote(key, this.#pods, patched.metadata.resourceVersion);
        },
      },
      { finalizer: trackingFinalizer },
    );
    const isKept = (pod: Pod): boolean => isControlledBy(pod, job) || hasFinalizer(pod, trackingFinalizer);
    return claimed.map((pod) => (isKept(pod) ? pod : withFinalizer(pod, trackingFinalizer)));
  }

  #watch(): void {
    const { clock } = this.#context;
    const loop = this.#loop;
    this.#jobs.addEventHandler({
      onAdd: (job) => loop.add(job),
      onUpdate: (old, job) => {
        if (isJobFinished(job)) return this.#onEnd(job);
        const isSpecChanged = old.metadata.generation !== job.metadata.generation;
        loop.addAfter(job, isSpecChanged ? 0 : batchPeriodMs);
        const { activeDeadlineSeconds: seconds } = job.spec ?? {};
        if (job.status?.startTime === undefined || seconds === undefined) return;
        if (seconds === old.spec?.activeDeadlineSeconds) return;
        loop.addAfter(job, Date.parse(job.status.startTime) + Number(seconds) * 1000 - clock.now());
      },
      onDelete: (deleted) => {
        const job = deletedObject(deleted);
        this.#onEnd(job);
        this.#forget(metaNamespaceKey(job));
      },
    });
    this.#pods.addEventHandler(
      podHandler({
        lookup: this.#lookup,
        enqueue: (job) => loop.addAfter(job, batchPeriodMs),
        enqueueOrphan: (pod) => this.#orphans.add(pod),
        created: (job) => this.#jobPods.created(metaNamespaceKey(job)),
        deleted: (job, pod) => this.#jobPods.deleted(metaNamespaceKey(job), pod),
        released: (job, pod) => this.#released.get(metaNamespaceKey(job))?.delete(pod.metadata.uid ?? ''),
      }),
    );
  }

  /** Releases the pods of a Job that has finished or was deleted: none of them will be counted any more. */
  #onEnd(job: Job): void {
    const { uid = '' } = job.metadata;
    const key = metaNamespaceKey(job);
    this.#finished.delete(uid);
    this.#backoffs.delete(key);
    for (const pod of controlledBy(this.#pods.indexer, uid)) {
      const isReleased = this.#released.get(key)?.has(pod.metadata.uid ?? '');
      if (!isReleased && hasFinalizer(pod, trackingFinalizer)) this.#orphans.add(pod);
    }
  }

  #forget(key: string): void {
    this.#jobPods.forget(key);
    this.#released.delete(key);
    this.#backoffs.delete(key);
    this.#ownWrites.forget(key);
  }

  #tell(job: Job, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.event(job, type, reason, message, { kind: jobResource });
  }
}

function announce(status: JobStatus, outcome: JobOutcome, now: number): JobStatus {
  const type = interimType(outcome);
  if (status.conditions?.some((condition) => condition.type === type && condition.status === 'True')) return status;
  const condition = newCondition(type, 'True', outcome, now);
  return { ...status, conditions: withCondition(status.conditions, condition) ?? [] };
}
