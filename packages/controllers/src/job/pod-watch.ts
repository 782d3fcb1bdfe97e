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

/** What there is to do when something happens to pods. */
export interface PodWatcher {
  readonly lookup: OwnerLookup<Job>;
  /** Soon, not at once: a Job's pods tend to change together. */
  enqueue(job: Job): void;
  enqueueOrphan(pod: Pod): void;
  created(job: Job): void;
  deleted(job: Job, pod: Pod): void;
  /** The pod no longer has the finalizer. */
  released(job: Job, pod: Pod): void;
}

/**
 * Finds out which Jobs a change of a pod concerns: its own, the one it had before, and for a pod without one those that
 * would adopt it. A pod counts as deleted as soon as its deletion begins.
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
      // Just started, one may find pods whose deletion has begun: those are no creations.
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
