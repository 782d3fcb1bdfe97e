import type { Job } from '@coxswain/api/batch/v1';
import type { Pod } from '@coxswain/api/core/v1';
import { getControllerOfNoCopy } from '@coxswain/apimachinery/meta';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import type { ResourceEventHandler } from '@coxswain/client';
import { deletedObject } from '@coxswain/client';
import { hasFinalizer } from '../framework/finalizers/finalizers.ts';
import type { OwnerLookup } from '../framework/ownership/owner-lookup.ts';
import { trackingFinalizer } from './job-observation.ts';
import { isJobFinished } from './jobs.ts';

/** Callbacks for pod events. */
export interface PodWatcher {
  readonly lookup: OwnerLookup<Job>;
  /** Queues the Job with a delay, because a Job's pods often change together. */
  enqueue(job: Job): void;
  enqueueOrphan(pod: Pod): void;
  created(job: Job): void;
  deleted(job: Job, pod: Pod): void;
  /** The pod's finalizer was removed. */
  released(job: Job, pod: Pod): void;
}

/**
 * Returns a handler that notifies the Jobs affected by a pod's event: its Job, its previous Job, and for an orphan those that
 * would adopt it. A pod counts as deleted as soon as it has a deletion timestamp.
 */
export function podHandler(watcher: PodWatcher): ResourceEventHandler<Pod> {
  const { lookup } = watcher;
  const isKept = (pod: Pod): boolean => hasFinalizer(pod, trackingFinalizer);

  const onDelete = (pod: Pod, isGone: boolean): void => {
    const job = lookup.ownerOf(pod);
    if (job && (isGone || !isKept(pod))) watcher.released(job, pod);
    if (job && !isJobFinished(job)) {
      watcher.deleted(job, pod);
      watcher.enqueue(job);
    } else if (isKept(pod)) watcher.enqueueOrphan(pod);
  };
  const onOrphan = (pod: Pod): void => {
    if (isKept(pod)) watcher.enqueueOrphan(pod);
  };
  const offer = (pod: Pod): void => {
    if (pod.metadata.labels) for (const job of lookup.adoptersOf(pod)) watcher.enqueue(job);
  };
  const onChange = (job: Job | undefined, pod: Pod): void => {
    if (!job) return;
    if (!isKept(pod)) watcher.released(job, pod);
    watcher.enqueue(job);
  };

  return {
    onAdd: (pod) => {
      // After a restart the first list may contain pods that are being deleted. They are not creations.
      if (pod.metadata.deletionTimestamp) return onDelete(pod, false);
      if (!getControllerOfNoCopy(pod)) {
        onOrphan(pod);
        return offer(pod);
      }
      const job = lookup.ownerOf(pod);
      if (!job) return;
      watcher.created(job);
      watcher.enqueue(job);
    },
    onUpdate: (old, pod) => {
      if (old.metadata.resourceVersion === pod.metadata.resourceVersion) return;
      if (pod.metadata.deletionTimestamp) return onDelete(pod, false);
      const controller = getControllerOfNoCopy(pod);
      const hasControllerChanged = !semanticEqual(controller, getControllerOfNoCopy(old));
      if (hasControllerChanged) onChange(lookup.ownerOf(old), pod);
      if (controller) return onChange(lookup.ownerOf(pod), pod);
      onOrphan(pod);
      if (hasControllerChanged || !semanticEqual(old.metadata.labels, pod.metadata.labels)) offer(pod);
    },
    onDelete: (deleted) => onDelete(deletedObject(deleted), true),
  };
}
