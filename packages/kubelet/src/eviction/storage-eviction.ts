import type { Pod } from '@coxswain/api/core/v1';
import { type Clock, type EventRecorder, type Logger, sleep } from '@coxswain/client';
import { isCriticalPod } from '../admission/preemption.ts';
import type { KubeletMetrics } from '../metrics/kubelet-metrics.ts';
import { PodEvents } from '../pods/pod-events.ts';
import type { PodStats } from '../stats/summary.ts';
import type { Eviction } from '../status/pod-status.ts';
import { hasStorageLimit, storageExcess } from './storage-excess.ts';

export interface StorageEvictionOptions {
  /** The part of the kubelet that evicts pods. */
  readonly kubelet: {
    readonly activePods: readonly Pod[];
    /** Returns false if the pod is not evicted, because it is terminating already. */
    evict(podUid: string, eviction: Eviction, graceSeconds: number): boolean;
  };
  /** Returns the figures of all pods with running containers. Rejects if the runtime does not answer. */
  readonly stats: (signal: AbortSignal) => Promise<readonly PodStats[]>;
  /** Returns whether images are on another file system than the kubelet's directory. */
  readonly hasImageFileSystem: () => Promise<boolean>;
  readonly metrics?: Pick<KubeletMetrics, 'podEvicted'> | undefined;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
}

const periodMs = 10_000;
const graceSeconds = 1;

/**
 * Evicts pods that use more local storage than their limits allow: the size limits of `emptyDir` volumes, and the limits for
 * `ephemeral-storage` of their containers. Critical pods are never evicted.
 */
export class StorageEviction {
  readonly #options: StorageEvictionOptions;
  readonly #events: PodEvents;

  constructor(options: StorageEvictionOptions) {
    this.#options = options;
    this.#events = new PodEvents(options.recorder);
  }

  /** Checks all pods every 10 seconds until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      await this.check(signal).catch((error: unknown) => {
        if (!signal.aborted) logger.error('Eviction manager: failed to get summary stats', error);
      });
      await sleep(clock, periodMs, signal).catch(() => {});
    }
  }

  /** Checks all pods once. Statistics are collected only if a pod has a limit. */
  async check(signal: AbortSignal): Promise<void> {
    const { kubelet, stats, hasImageFileSystem } = this.#options;
    const limited = kubelet.activePods.filter((pod) => !pod.metadata.deletionTimestamp && hasStorageLimit(pod));
    if (limited.length === 0) return;
    const figures = new Map((await stats(signal)).map((each) => [each.podRef.uid, each]));
    const options = { hasImageFileSystem: await hasImageFileSystem() };
    for (const pod of limited) {
      const ofPod = figures.get(pod.metadata.uid ?? '');
      const excess = ofPod && storageExcess(pod, ofPod, options);
      if (!excess) continue;
      if (isCriticalPod(pod)) {
        this.#options.logger.error('Eviction manager: cannot evict a critical pod', undefined, { pod });
        continue;
      }
      const eviction = { reason: 'Evicted', message: excess.message };
      if (!kubelet.evict(pod.metadata.uid ?? '', eviction, graceSeconds)) continue;
      this.#events.pod(pod, 'Warning', eviction.reason, eviction.message);
      this.#options.metrics?.podEvicted(excess.signal);
    }
  }
}
