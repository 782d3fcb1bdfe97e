import type { Job } from '@coxswain/api/batch/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { getControllerOfNoCopy } from '@coxswain/apimachinery/meta';
import { ItemExponentialFailureRateLimiter, type SharedIndexInformer, splitKey } from '@coxswain/client';
import type { ControllerContext } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { hasFinalizer } from '../framework/finalizers/finalizers.ts';
import type { OwnerLookup } from '../framework/ownership/owner-lookup.ts';
import { trackingFinalizer } from './job-observation.ts';
import { isJobFinished } from './jobs.ts';

/** How long what failed waits before it is tried again. */
export const newJobRateLimiter = () => new ItemExponentialFailureRateLimiter(1000, 60_000);

/** Takes the finalizer from this very pod, whatever else has changed about it. */
export const releasePatch = ({ metadata: { uid = '' } }: Pod) => ({
  metadata: { uid, '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] },
});

/** The Job is somebody else's to run. */
export const isManagedByOther = ({ spec }: Job): boolean =>
  spec?.managedBy !== undefined && spec.managedBy !== 'kubernetes.io/job-controller';

/** A queue of pods that no running Job counts, and that could not go as long as they have the finalizer. */
export function newOrphanPodLoop(
  context: ControllerContext,
  pods: SharedIndexInformer<Pod>,
  jobs: SharedIndexInformer<Job>,
  lookup: OwnerLookup<Job>,
): ReconcileLoop {
  const reconcile = async (key: string): Promise<void> => {
    const pod = pods.indexer.getByKey(key);
    if (!pod || !hasFinalizer(pod, trackingFinalizer) || !isOrphan(pod, lookup)) return;
    const { namespace, name } = splitKey(key);
    try {
      await context.clients.core.v1.pods(namespace).patch(name, 'strategic-merge', releasePatch(pod));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  const rateLimiter = newJobRateLimiter();
  return new ReconcileLoop(context, { name: 'job_orphan_pod', synced: [jobs, pods], reconcile, rateLimiter });
}

/** Pods of Jobs that are gone or have ended are; those of other controllers are not ours. */
function isOrphan(pod: Pod, lookup: OwnerLookup<Job>): boolean {
  const controller = getControllerOfNoCopy(pod);
  if (!controller) return true;
  if (controller.kind !== 'Job' || controller.apiVersion !== 'batch/v1') return false;
  const job = lookup.ownerOf(pod);
  return !job || (isJobFinished(job) && !isManagedByOther(job));
}
