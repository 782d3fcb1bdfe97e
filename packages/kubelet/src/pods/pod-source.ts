import type { Pod } from '@coxswain/api/core/v1';

/** Receives the pods of a node. */
export interface PodHandler {
  /** Called for each existing, new and changed pod. */
  onPod(pod: Pod): void;
  /** Called when a pod no longer exists. */
  onPodGone(pod: Pod): void;
}

/** Provides a kubelet with the pods of its node. */
export interface PodSource {
  /** Passes the existing pods to the handler, then every change. Returns a function that unsubscribes. */
  subscribe(nodeName: string, handler: PodHandler): () => void;
  /** Resolves when all pods that existed at the start have been passed on. */
  whenSynced(signal: AbortSignal): Promise<void>;
}
