import type { Pod } from '@coxswain/api/core/v1';

/** Who wants to know of a node's pods. */
export interface PodHandler {
  /** The pod is there, or has changed. */
  onPod(pod: Pod): void;
  /** It is there no more. */
  onPodGone(pod: Pod): void;
}

/** Where a kubelet learns of the pods of its node. */
export interface PodSource {
  /** Tells of the pods that are there, then of every change. Answers how to listen no more. */
  subscribe(nodeName: string, handler: PodHandler): () => void;
  /** Everything that was there at the start has been told. */
  whenSynced(signal: AbortSignal): Promise<void>;
}
