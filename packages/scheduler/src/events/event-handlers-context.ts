import type { Node, Pod } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ClusterEvent } from '../framework/cluster-event.ts';
import type { WaitingPods } from '../framework/handle.ts';

/** What handlers tell the cache, and ask of it. */
interface EventCache {
  addNode(node: Node): unknown;
  updateNode(before: Node, node: Node): unknown;
  removeNode(node: Node): void;
  addPod(pod: Pod): void;
  updatePod(before: Pod, pod: Pod): void;
  removePod(pod: Pod): void;
  forgetPod(pod: Pod): void;
  isAssumed(pod: Pod): boolean;
  /** As it is counted. */
  pod(pod: Pod): Pod | undefined;
}

/** What handlers tell the queue. */
interface EventQueue {
  add(pod: Pod): void;
  update(old: Pod, pod: Pod): void;
  delete(pod: Pod): void;
  moveAllToActiveOrBackoffQueue(
    event: ClusterEvent,
    before: KubernetesObject | undefined,
    after: KubernetesObject | undefined,
    preCheck?: (pod: Pod) => boolean,
  ): void;
}

/** What all handlers work with. */
export interface EventHandlersContext {
  readonly cache: EventCache;
  readonly queue: EventQueue;
  /** By `schedulerName`. Pods of other names are not ours. */
  readonly profiles: ReadonlyMap<string, { readonly waitingPods: WaitingPods }>;
  /** Calls, and tells metrics how long it took to deal with that event. */
  observe(event: string, handle: () => void): void;
}
