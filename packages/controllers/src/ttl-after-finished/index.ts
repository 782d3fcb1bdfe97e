/** Deletes finished Jobs and their dependents after `ttlSecondsAfterFinished`. */
import type { Job } from '@coxswain/api/batch/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { splitKey } from '@coxswain/client';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop, type ReconcileResult } from '../framework/controller/reconcile-loop.ts';
import { finishedCondition } from '../job/jobs.ts';

export const ttlAfterFinishedController: ControllerDefinition = {
  name: 'ttl-after-finished-controller',
  aliases: ['ttl-after-finished'],
  create: newController,
};

function newController(context: ControllerContext): Controller {
  const { informer } = context.informers.batch.v1.jobs;
  const loop = new ReconcileLoop(context, {
    name: 'ttl_jobs_to_delete',
    synced: [informer],
    reconcile: (key) => reconcile(context, key),
  });
  const onChange = (job: Job): void => {
    if (isToExpire(job)) loop.add(job);
  };
  informer.addEventHandler({ onAdd: onChange, onUpdate: (_, job) => onChange(job) });
  return loop;
}

async function reconcile(context: ControllerContext, key: string): Promise<ReconcileResult | undefined> {
  const { clients, informers, clock } = context;
  const known = informers.batch.v1.jobs.informer.indexer.getByKey(key);
  if (!known) return;
  const knownRemainingMs = remainingMs(known, clock.now());
  if (knownRemainingMs === undefined) return;
  if (knownRemainingMs > 0) return { requeueAfterMs: knownRemainingMs };

  // The time may have been extended, so the Job is read from the server.
  const { namespace, name } = splitKey(key);
  const jobs = clients.batch.v1.jobs(namespace);
  const fresh = await jobs.get(name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const freshRemainingMs = fresh && remainingMs(fresh, clock.now());
  if (!fresh || freshRemainingMs === undefined) return;
  if (freshRemainingMs > 0) return { requeueAfterMs: freshRemainingMs };
  const { uid = '' } = fresh.metadata;
  await jobs.delete(name, { propagationPolicy: 'Foreground', preconditions: { uid } });
}

const isToExpire = (job: Job): boolean =>
  job.metadata.deletionTimestamp === undefined &&
  job.spec?.ttlSecondsAfterFinished !== undefined &&
  finishedCondition(job) !== undefined;

/** Returns the milliseconds until the Job is to be deleted, or undefined when it is not. Throws when its finish time is missing. */
export function remainingMs(job: Job, now: number): number | undefined {
  if (!isToExpire(job)) return undefined;
  const { namespace, name } = job.metadata;
  const time = finishedCondition(job)?.lastTransitionTime;
  if (!time) throw new Error(`unable to find the time when the Job ${namespace}/${name} finished`);
  return Date.parse(time) + (job.spec?.ttlSecondsAfterFinished ?? 0) * 1000 - now;
}
