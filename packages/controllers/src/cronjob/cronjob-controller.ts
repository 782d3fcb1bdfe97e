import type { CronSchedule } from '@coxswain/api';
import type { CronJob, CronJobStatus, Job } from '@coxswain/api/batch/v1';
import type { ObjectReference } from '@coxswain/api/core/v1';
import { hasStatusCause, isAlreadyExists, isNotFound, messageOf } from '@coxswain/apimachinery/errors';
import { quote } from '@coxswain/apimachinery/field';
import { Selector } from '@coxswain/apimachinery/labels';
import { isControlledBy } from '@coxswain/apimachinery/meta';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import {
  deletedObject,
  deletionHandlingKey,
  type EventRecorder,
  objectReference,
  type ReconcileResult,
  type SharedIndexInformer,
} from '@coxswain/client';
import type { Controller, ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { addControllerIndex, controlledBy } from '../framework/ownership/controller-index.ts';
import { ownedObjectHandler } from '../framework/ownership/owned-object-handler.ts';
import { OwnerLookup } from '../framework/ownership/owner-lookup.ts';
import { lookForOwnWritesMs, OwnWrites } from '../framework/writes/own-writes.ts';
import { finishedCondition, jobResource } from '../job/jobs.ts';
import { expiredJobs } from './job-history.ts';
import { dueTimes, hasZoneInSchedule, nextRunInMs, scheduleOf, timeZoneProblem } from './schedule.ts';
import { jobName, scheduledJob } from './scheduled-job.ts';

const cronJobResource = { group: 'batch', version: 'v1', resource: 'cronjobs', kind: 'CronJob', namespaced: true };

/** The new status. It is written at the end of the reconcile if it differs from the current one. */
interface StatusDraft {
  active: readonly ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}

/** Creates Jobs at the times of their CronJobs' schedules, and deletes finished Jobs beyond the history limits. */
export class CronJobController implements Controller {
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #cronJobs: SharedIndexInformer<CronJob>;
  readonly #jobs: SharedIndexInformer<Job>;
  readonly #owners: OwnerLookup<CronJob>;
  readonly #loop: ReconcileLoop;
  readonly #ownWrites = new OwnWrites();
  /** The uids of Jobs that were deleted but are still in the cache. */
  readonly #deleted = new Set<string | undefined>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#recorder = context.recorder('cronjob-controller');
    this.#cronJobs = context.informers.batch.v1.cronJobs.informer;
    this.#jobs = context.informers.batch.v1.jobs.informer;
    this.#owners = new OwnerLookup(this.#cronJobs, 'CronJob', () => Selector.nothing);
    this.#loop = new ReconcileLoop(context, {
      name: 'cronjob',
      synced: [this.#jobs, this.#cronJobs],
      reconcile: (key) => this.#reconcile(key),
    });
    addControllerIndex(this.#jobs);
    this.#watch();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  async #reconcile(key: string): Promise<ReconcileResult | undefined> {
    if (!this.#ownWrites.areSeen(key)) return { requeueAfterMs: lookForOwnWritesMs };
    const cronJob = this.#cronJobs.indexer.getByKey(key);
    if (!cronJob) {
      this.#ownWrites.forget(key);
      return;
    }
    // Differs from upstream: Jobs of an earlier CronJob of the same name are ignored.
    const owned = controlledBy(this.#jobs.indexer, cronJob.metadata.uid ?? '');
    const jobs = owned.filter(({ metadata }) => !this.#deleted.has(metadata.uid));
    const draft = draftOf(cronJob);
    let result: ReconcileResult | undefined;
    let failure: unknown;
    try {
      for (const job of expiredJobs(cronJob, jobs)) await this.#deleteJob(cronJob, draft, job);
      result = await this.#sync(cronJob, draft, jobs);
    } catch (error) {
      failure = error;
    }
    if (!semanticEqual(draftOf(cronJob), draft)) await this.#updateStatus(key, cronJob, draft);
    if (failure !== undefined) throw failure;
    return result;
  }

  async #sync(cronJob: CronJob, draft: StatusDraft, jobs: readonly Job[]): Promise<ReconcileResult | undefined> {
    const isCurrent = await this.#noteJobs(cronJob, draft, jobs);
    if (!isCurrent) return { requeueAfterMs: lookForOwnWritesMs };
    await this.#noteMissing(cronJob, draft, jobs);
    const { deletionTimestamp } = cronJob.metadata;
    const { timeZone, suspend, schedule: text } = cronJob.spec;
    if (deletionTimestamp) return;
    const zoneProblem = timeZone === undefined ? undefined : timeZoneProblem(timeZone);
    if (zoneProblem !== undefined) {
      this.#warn(cronJob, 'UnknownTimeZone', `invalid timeZone: ${quote(timeZone ?? '')}: ${zoneProblem}`);
      return;
    }
    if (suspend) return;

    if (hasZoneInSchedule(cronJob)) this.#warn(cronJob, 'UnsupportedSchedule', zoneInSchedule(text));
    let schedule: CronSchedule;
    try {
      schedule = scheduleOf(cronJob);
    } catch (error) {
      this.#warn(cronJob, 'UnparseableSchedule', `unparseable schedule: ${quote(text)} : ${messageOf(error)}`);
      return;
    }
    const now = this.#context.clock.now();
    let time: Date | undefined;
    try {
      time = this.#dueTime(cronJob, schedule, now);
    } catch (error) {
      this.#warn(cronJob, 'InvalidSchedule', `invalid schedule: ${text} : ${messageOf(error)}`);
      return;
    }
    if (time && this.#mayStart(cronJob, draft, time, now)) await this.#start(cronJob, draft, time);
    return { requeueAfterMs: nextRunInMs(withStatus(cronJob, draft), schedule, now) };
  }

  /** Updates the list of active Jobs and the time of the last success in the draft. Returns false when the cached CronJob is stale. */
  async #noteJobs(cronJob: CronJob, draft: StatusDraft, jobs: readonly Job[]): Promise<boolean> {
    for (const job of jobs) {
      const { name = '', uid } = job.metadata;
      const isActive = draft.active.some((reference) => reference.uid === uid);
      const finished = finishedCondition(job);
      if (!finished) {
        if (isActive) continue;
        const { status } = await this.#context.clients.batch.v1
          .cronJobs(cronJob.metadata.namespace ?? '')
          .get(cronJob.metadata.name ?? '');
        if (status?.active?.some((reference) => reference.uid === uid)) return false;
        this.#warn(cronJob, 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`);
        continue;
      }
      if (isActive) {
        dropActive(draft, uid);
        this.#tell(cronJob, 'SawCompletedJob', `Saw completed job: ${name}, condition: ${finished.type}`);
      }
      const { completionTime } = job.status ?? {};
      if (finished.type !== 'Complete' || !completionTime) continue;
      const last = draft.lastSuccessfulTime;
      if (last === undefined || Date.parse(completionTime) > Date.parse(last))
        draft.lastSuccessfulTime = completionTime;
    }
    return true;
  }

  /** Removes Jobs that no longer exist from the list of active Jobs. */
  async #noteMissing(cronJob: CronJob, draft: StatusDraft, jobs: readonly Job[]): Promise<void> {
    const known = new Set(jobs.map(({ metadata }) => metadata.uid));
    for (const { namespace = '', name = '', uid } of draft.active) {
      if (known.has(uid)) continue;
      try {
        // The cache may not contain the Job yet.
        await this.#context.clients.batch.v1.jobs(namespace).get(name);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        this.#tell(cronJob, 'MissingJob', `Active job went missing: ${name}`);
        dropActive(draft, uid);
      }
    }
  }

  /** Returns the latest scheduled time that is due and not past its starting deadline. */
  #dueTime(cronJob: CronJob, schedule: CronSchedule, now: number): Date | undefined {
    const { mostRecent, missed } = dueTimes(cronJob, schedule, now, { untilDeadline: true });
    if (mostRecent && missed === 'many') {
      const advice = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      this.#warn(cronJob, 'TooManyMissedTimes', `too many missed start times. ${advice}`);
    }
    return mostRecent;
  }

  #mayStart(cronJob: CronJob, draft: StatusDraft, time: Date, now: number): boolean {
    const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
    if (startingDeadlineSeconds !== undefined && time.getTime() + Number(startingDeadlineSeconds) * 1000 < now) {
      const text = time.toUTCString().replace('GMT', '+0000');
      this.#warn(cronJob, 'MissSchedule', `Missed scheduled time to start a job: ${text}`);
      return false;
    }
    const name = jobName(cronJob, time);
    const isStarted = draft.active.some((reference) => reference.name === name);
    if (isStarted || draft.lastScheduleTime === timeFromDate(time)) return false;
    if (concurrencyPolicy === 'Forbid' && draft.active.length > 0) {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      this.#tell(cronJob, 'JobAlreadyActive', message);
      return false;
    }
    return true;
  }

  async #start(cronJob: CronJob, draft: StatusDraft, time: Date): Promise<void> {
    if (cronJob.spec.concurrencyPolicy === 'Replace') await this.#stopActive(cronJob, draft);
    const { namespace = '' } = cronJob.metadata;
    const jobs = this.#context.clients.batch.v1.jobs(namespace);
    const wanted = scheduledJob(cronJob, time);
    let job: Job;
    try {
      job = await jobs.create(wanted);
      this.#tell(cronJob, 'SuccessfulCreate', `Created job ${job.metadata.name}`);
    } catch (error) {
      if (!isAlreadyExists(error)) {
        if (!hasStatusCause(error, 'NamespaceTerminating'))
          this.#warn(cronJob, 'FailedCreate', `Error creating job: ${messageOf(error)}`);
        throw error;
      }
      // If this CronJob owns the Job, it was created by an earlier reconcile whose status update failed. A Job of another owner
      // is ignored.
      job = await jobs.get(wanted.metadata.name ?? '');
      if (!isControlledBy(job, cronJob) || draft.active.some(({ uid }) => uid === job.metadata.uid)) return;
    }
    draft.active = [...draft.active, objectReference(job, { kind: jobResource })];
    draft.lastScheduleTime = timeFromDate(time);
  }

  async #stopActive(cronJob: CronJob, draft: StatusDraft): Promise<void> {
    for (const { namespace = '', name = '' } of draft.active) {
      let job: Job;
      try {
        job = await this.#context.clients.batch.v1.jobs(namespace).get(name);
      } catch (error) {
        this.#warn(cronJob, 'FailedGet', `Get job: ${messageOf(error)}`);
        throw error;
      }
      const isDeleted = await this.#deleteJob(cronJob, draft, job);
      if (!isDeleted) throw new Error(`could not replace job ${namespace}/${name}`);
    }
  }

  async #deleteJob(cronJob: CronJob, draft: StatusDraft, job: Job): Promise<boolean> {
    const { namespace = '', name = '', uid } = job.metadata;
    try {
      await this.#context.clients.batch.v1.jobs(namespace).delete(name, { propagationPolicy: 'Background' });
      if (this.#jobs.indexer.getByKey(`${namespace}/${name}`)?.metadata.uid === uid) this.#deleted.add(uid);
      this.#tell(cronJob, 'SuccessfulDelete', `Deleted job ${name}`);
    } catch (error) {
      // The Job is already deleted.
      if (!isNotFound(error)) {
        this.#warn(cronJob, 'FailedDelete', `Deleted job: ${messageOf(error)}`);
        return false;
      }
    }
    dropActive(draft, uid);
    return true;
  }

  async #updateStatus(key: string, cronJob: CronJob, draft: StatusDraft): Promise<void> {
    const client = this.#context.clients.batch.v1.cronJobs(cronJob.metadata.namespace ?? '');
    const updated = await client.updateStatus(withStatus(cronJob, draft));
    this.#ownWrites.wrote(key, this.#cronJobs, updated.metadata.resourceVersion);
  }

  #watch(): void {
    const loop = this.#loop;
    this.#cronJobs.addEventHandler({
      onAdd: (cronJob) => loop.add(cronJob),
      onUpdate: (old, cronJob) => this.#onUpdate(old, cronJob),
      onDelete: (deleted) => loop.queue.add(deletionHandlingKey(deleted)),
    });
    this.#jobs.addEventHandler({
      onDelete: (deleted) => {
        this.#deleted.delete(deletedObject(deleted).metadata.uid);
      },
    });
    const owners = { ownerOf: (job: Job) => this.#owners.ownerOf(job), adoptersOf: () => [] };
    this.#jobs.addEventHandler(ownedObjectHandler({ owners, enqueue: (cronJob: CronJob) => loop.add(cronJob) }));
  }

  /**
   * After a change of the schedule or time zone, waits for the next scheduled time. Missed times of the old schedule are not made
   * up for.
   */
  #onUpdate(old: CronJob, cronJob: CronJob): void {
    const { schedule, timeZone } = cronJob.spec;
    if (old.spec.schedule === schedule && old.spec.timeZone === timeZone) {
      this.#loop.add(cronJob);
      return;
    }
    try {
      this.#loop.addAfter(cronJob, nextRunInMs(cronJob, scheduleOf(cronJob), this.#context.clock.now()));
    } catch {
      this.#warn(cronJob, 'UnParseableCronJobSchedule', `unparseable schedule for cronjob: ${schedule}`);
    }
  }

  #tell(cronJob: CronJob, reason: string, message: string): void {
    this.#recorder.event(cronJob, 'Normal', reason, message, { kind: cronJobResource });
  }

  #warn(cronJob: CronJob, reason: string, message: string): void {
    this.#recorder.event(cronJob, 'Warning', reason, message, { kind: cronJobResource });
  }
}

const draftOf = ({ status }: CronJob): StatusDraft => ({ ...status, active: status?.active ?? [] });

const withStatus = (cronJob: CronJob, draft: StatusDraft): CronJob => {
  const status: CronJobStatus = { ...draft, active: [...draft.active] };
  return { ...cronJob, status };
};

function dropActive(draft: StatusDraft, uid: string | undefined): void {
  draft.active = draft.active.filter((reference) => reference.uid !== uid);
}

const zoneInSchedule = (schedule: string): string =>
  `CRON_TZ or TZ used in schedule ${quote(schedule)} is not officially supported, ` +
  'see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
