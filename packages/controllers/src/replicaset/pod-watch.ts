import type { Pod } from '@coxswain/api/core/v1';
import { getControllerOf } from '@coxswain/apimachinery/meta';
import { semanticEqual } from '@coxswain/apimachinery/validation';
import { DeletedFinalStateUnknown, metaNamespaceKey, type ResourceEventHandler } from '@coxswain/client';

/** What there is to do when something happens to pods. */
export interface PodWatcher<T> {
  /** The object that controls the pod, if it is of the kind that is watched for. */
  ownerOf(pod: Pod): T | undefined;
  /** The objects that would adopt the pod if it had no controller. */
  adoptersOf(pod: Pod): readonly T[];
  enqueue(owner: T): void;
  created(owner: T): void;
  deleted(owner: T, podKey: string): void;
}

/**
 * Finds out whom a change of a pod concerns: its controller, the one it had before, and for a pod without one those that
 * would like to have it. A pod counts as deleted as soon as its deletion begins, so that it is replaced at once.
 */
export function podHandler<T>(watcher: PodWatcher<T>): ResourceEventHandler<Pod> {
  const onDelete = (pod: Pod): void => {
    const owner = watcher.ownerOf(pod);
    if (!owner) return;
    watcher.deleted(owner, metaNamespaceKey(pod));
    watcher.enqueue(owner);
  };
  const offerOrphan = (pod: Pod): void => {
    for (const adopter of watcher.adoptersOf(pod)) watcher.enqueue(adopter);
  };
  return {
    onAdd: (pod) => {
      // Just started, one may find pods whose deletion has begun: those are no creations.
      if (pod.metadata.deletionTimestamp) return onDelete(pod);
      if (!getControllerOf(pod)) return offerOrphan(pod);
      const owner = watcher.ownerOf(pod);
      if (!owner) return;
      watcher.created(owner);
      watcher.enqueue(owner);
    },
    onUpdate: (old, pod) => {
      const haveLabelsChanged = !semanticEqual(old.metadata.labels, pod.metadata.labels);
      if (pod.metadata.deletionTimestamp) {
        onDelete(pod);
        if (haveLabelsChanged) onDelete(old);
        return;
      }
      const controller = getControllerOf(pod);
      const hasControllerChanged = !semanticEqual(controller, getControllerOf(old));
      const former = hasControllerChanged && watcher.ownerOf(old);
      if (former) watcher.enqueue(former);
      if (controller) {
        const owner = watcher.ownerOf(pod);
        if (owner) watcher.enqueue(owner);
      } else if (haveLabelsChanged || hasControllerChanged) {
        offerOrphan(pod);
      }
    },
    onDelete: (deleted) => onDelete(deleted instanceof DeletedFinalStateUnknown ? deleted.object : deleted),
  };
}
