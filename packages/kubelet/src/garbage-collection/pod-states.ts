/** What garbage collection must know of pods. Both are false for pods that are unknown as long as not all pods have been seen. */
export interface PodStates {
  /** Whether nothing of the pod is needed any more, its logs included: it was deleted or evicted, and its containers have ended. */
  shouldPodContentBeRemoved(podUid: string): boolean;
  /** Whether the pod's containers have ended for good. It may still exist, and its logs may still be read. */
  shouldPodRuntimeBeRemoved(podUid: string): boolean;
}
