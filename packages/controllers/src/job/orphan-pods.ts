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

/** The backoff of failed reconciles. */
export const newJobRateLimiter = () => new ItemExponentialFailureRateLimiter(1000, 60_000);

/** Returns a patch that removes the tracking finalizer. Its uid makes it fail on another pod of the same name. */
export const releasePatch = ({ metadata: { uid = '' } }: Pod) => ({
  metadata: { uid, '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] },
});

/** Whether `spec.managedBy` names another controller. */
export const isManagedByOther = ({ spec }: Job): boolean =>
  spec?.managedBy !== undefined && spec.managedBy !== 'kubernetes.io/job-controller';

/** Returns a loop that removes the tracking finalizer from pods that no Job counts any more, so that they can be deleted. */
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

/** Whether the pod has no controller, or its Job is deleted or finished. Pods of other controllers are ignored. */
function isOrphan(pod: Pod, lookup: OwnerLookup<Job>): boolean {
  const controller = getControllerOfNoCopy(pod);
  if (!controller) return true;
  if (controller.kind !== 'Job' || controller.apiVersion !== 'batch/v1') return false;
  const job = lookup.ownerOf(pod);
  return !job || (isJobFinished(job) && !isManagedByOther(job));
}
