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
 * What becomes of pods: those that have a node are counted there, those that wait for one of our profiles are queued. All that
 * happens to pods with a node may help those that wait. Pods that have ended must not come here: for the scheduler they are gone.
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
      // The end of the one and the beginning of the other were missed.
      this.#delete(old);
      this.onAdd(pod);
    } else if (isAssigned(old)) this.#updateAssigned(old, pod);
    else if (isAssigned(pod)) {
      this.#addAssigned(pod);
      // Mostly it is not queued any more; unless somebody else gave it a node.
      if (this.#isOurs(old)) this.#context.queue.delete(old);
    } else if (this.#isOurs(old)) this.#updateUnscheduled(old, pod);
  }

  onDelete(deleted: Pod | DeletedFinalStateUnknown<Pod>): void {
    if (!(deleted instanceof DeletedFinalStateUnknown)) this.#delete(deleted);
    else {
      // It may have got a node that nobody told us of.
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
    // A resync: nothing has happened.
    if (old.metadata.resourceVersion === pod.metadata.resourceVersion) return;
    const { cache, queue } = this.#context;
    this.#context.observe(eventLabel(unscheduledPodUpdate), () => {
      if (cache.isAssumed(pod)) {
        // It is being bound as it was. Only its end matters.
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

  /**
   * The place that was kept for a pod is free at once: waiting until its binding has failed would make others preempt for
   * nothing.
   */
  #releaseAssumed(pod: Pod): void {
    const { cache, profiles, queue } = this.#context;
    // As it is counted, it has a node.
    const assumed = cache.pod(pod) ?? pod;
    const held = profiles.get(pod.spec?.schedulerName ?? '')?.waitingPods.get(pod.metadata.uid ?? '');
    // One that Permit holds back is given up by its own binding cycle. Others cannot be stopped, only not counted.
    if (!held?.reject('', 'removed')) cache.forgetPod(pod);
    queue.moveAllToActiveOrBackoffQueue(assignedPodDelete, assumed, undefined);
  }

  /** For those that do not come before it, a promised place was as good as taken. */
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
