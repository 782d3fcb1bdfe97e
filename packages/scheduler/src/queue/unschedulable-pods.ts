import type { QueuedPodInfo } from './queued-pod-info.ts';

/** Pods that wait for an event: plug-ins rejected them, or gate them. */
export class UnschedulablePods {
  readonly #pods = new Map<string, QueuedPodInfo>();
  #gated = 0;

  get size(): number {
    return this.#pods.size;
  }

  /** The number of gated pods. */
  get gated(): number {
    return this.#gated;
  }

  get(key: string): QueuedPodInfo | undefined {
    return this.#pods.get(key);
  }

  add(pod: QueuedPodInfo): void {
    this.#pods.set(pod.key, pod);
    if (pod.isGated) this.#gated++;
  }

  delete(key: string): QueuedPodInfo | undefined {
    const pod = this.#pods.get(key);
    if (pod && this.#pods.delete(key) && pod.isGated) this.#gated--;
    return pod;
  }

  values(): IterableIterator<QueuedPodInfo> {
    return this.#pods.values();
  }
}
