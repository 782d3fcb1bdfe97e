import type { Node, Pod } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ClusterEvent } from '../framework/cluster-event.ts';
import type { WaitingPods } from '../framework/handle.ts';

/** The part of the cache that event handlers use. */
interface EventCache {
  addNode(node: Node): unknown;
  updateNode(before: Node, node: Node): unknown;
  removeNode(node: Node): void;
  addPod(pod: Pod): void;
  updatePod(before: Pod, pod: Pod): void;
  removePod(pod: Pod): void;
  forgetPod(pod: Pod): void;
  isAssumed(pod: Pod): boolean;
  /** The pod as it is counted. */
  pod(pod: Pod): Pod | undefined;
}

/** The part of the queue that event handlers use. */
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

/** The dependencies of all event handlers. */
export interface EventHandlersContext {
  readonly cache: EventCache;
  readonly queue: EventQueue;
  /** By `schedulerName`. Pods with other names belong to other schedulers. */
  readonly profiles: ReadonlyMap<string, { readonly waitingPods: WaitingPods }>;
  /** Calls `handle` and records its duration under that event. */
  observe(event: string, handle: () => void): void;
}
