import type { Pod } from '@coxswain/api/core/v1';
import { DeletedFinalStateUnknown, type ResourceEventHandler } from '@coxswain/client';
import {
  assignedPodAdd,
  assignedPodDelete,
  eventLabel,
  unscheduledPodAdd,
  unscheduledPodDelete,
  unscheduledPodUpdate,
} from './cluster-events.ts';
import type { EventHandlersContext } from './event-handlers-context.ts';
import { podChanges } from './pod-changes.ts';

/**
 * Handles pod events: pods with a node are counted there, pods without a node that name one of our profiles are queued. Every event of a
 * pod with a node may make waiting pods schedulable. Terminal pods must be filtered out before: for the scheduler they are deleted.
 */
export class PodEventHandler implements ResourceEventHandler<Pod> {
  readonly #context: EventHandlersContext;

  constructor(context: EventHandlersContext) {
    this.#context = context;
  }

  onAdd(pod: Pod): void {
    if (isAssigned(pod)) this.#addAssigned(pod);
    else if (this.#isOurs(pod)) this.#addUnscheduled(pod);
  }

  onUpdate(old: Pod, pod: Pod): void {
    if (old.metadata.uid !== pod.metadata.uid) {
      // The deletion of the old pod and the creation of the new one were missed.
      this.#delete(old);
      this.onAdd(pod);
    } else if (isAssigned(old)) this.#updateAssigned(old, pod);
    else if (isAssigned(pod)) {
      this.#addAssigned(pod);
      // Usually the pod has left the queue already, unless another client has bound it.
      if (this.#isOurs(old)) this.#context.queue.delete(old);
    } else if (this.#isOurs(old)) this.#updateUnscheduled(old, pod);
  }

  onDelete(deleted: Pod | DeletedFinalStateUnknown<Pod>): void {
    if (!(deleted instanceof DeletedFinalStateUnknown)) this.#delete(deleted);
    else {
      // The pod may have got a node in an update that was missed.
      this.#deleteAssigned(deleted.object);
      if (this.#isOurs(deleted.object)) this.#deleteUnscheduled(deleted.object);
    }
  }

  #delete(pod: Pod): void {
    if (isAssigned(pod)) this.#deleteAssigned(pod);
    else if (this.#isOurs(pod)) this.#deleteUnscheduled(pod);
  }

  #isOurs(pod: Pod): boolean {
    return this.#context.profiles.has(pod.spec?.schedulerName ?? '');
  }

  #addAssigned(pod: Pod): void {
    this.#context.observe(eventLabel(assignedPodAdd), () => {
      this.#context.cache.addPod(pod);
      this.#context.queue.moveAllToActiveOrBackoffQueue(assignedPodAdd, undefined, pod);
    });
  }

  #updateAssigned(old: Pod, pod: Pod): void {
    this.#context.cache.updatePod(old, pod);
    for (const event of podChanges(old, pod)) {
      this.#context.observe(eventLabel(event), () =>
        this.#context.queue.moveAllToActiveOrBackoffQueue(event, old, pod),
      );
    }
  }

  #deleteAssigned(pod: Pod): void {
    this.#context.observe(eventLabel(assignedPodDelete), () => {
      this.#context.cache.removePod(pod);
      this.#context.queue.moveAllToActiveOrBackoffQueue(assignedPodDelete, pod, undefined);
    });
  }

  #addUnscheduled(pod: Pod): void {
    this.#context.observe(eventLabel(unscheduledPodAdd), () => this.#context.queue.add(pod));
  }

  #updateUnscheduled(old: Pod, pod: Pod): void {
    // A resync without a change.
    if (old.metadata.resourceVersion === pod.metadata.resourceVersion) return;
    const { cache, queue } = this.#context;
    this.#context.observe(eventLabel(unscheduledPodUpdate), () => {
      if (cache.isAssumed(pod)) {
        // The pod is being bound in its earlier state. Only a deletion matters.
        if (pod.metadata.deletionTimestamp && !old.metadata.deletionTimestamp) this.#releaseAssumed(pod);
        return;
      }
      queue.update(old, pod);
      const promised = old.status?.nominatedNodeName;
      if (promised && promised !== pod.status?.nominatedNodeName) this.#releasePromise(old);
    });
  }

  #deleteUnscheduled(pod: Pod): void {
    this.#context.observe(eventLabel(unscheduledPodDelete), () => {
      this.#context.queue.delete(pod);
      if (this.#context.cache.isAssumed(pod)) this.#releaseAssumed(pod);
      else if (pod.status?.nominatedNodeName) this.#releasePromise(pod);
    });
  }

  /** Frees the place of an assumed pod at once. If that waited until the binding fails, other pods would preempt needlessly. */
  #releaseAssumed(pod: Pod): void {
    const { cache, profiles, queue } = this.#context;
    // The assumed pod has a node name.
    const assumed = cache.pod(pod) ?? pod;
    const held = profiles.get(pod.spec?.schedulerName ?? '')?.waitingPods.get(pod.metadata.uid ?? '');
    // A pod that waits in Permit is rejected, and its own binding cycle forgets it. Other bindings cannot be stopped; the pod is only no
    // longer counted.
    if (!held?.reject('', 'removed')) cache.forgetPod(pod);
    queue.moveAllToActiveOrBackoffQueue(assignedPodDelete, assumed, undefined);
  }

  /** Retries pods of the same or lower priority: for them the place of the nominated pod was taken. */
  #releasePromise(pod: Pod): void {
    const priority = priorityOf(pod);
    this.#context.queue.moveAllToActiveOrBackoffQueue(
      assignedPodDelete,
      pod,
      undefined,
      (other) => priorityOf(other) <= priority,
    );
  }
}

const isAssigned = ({ spec }: Pod): boolean => !!spec?.nodeName;
const priorityOf = ({ spec }: Pod): number => spec?.priority ?? 0;
