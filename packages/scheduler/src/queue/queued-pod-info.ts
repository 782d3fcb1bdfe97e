import type { Plugin, QueuedPod } from '../framework/plugin.ts';
import type { PodInfo } from '../framework/pod-info.ts';

/**
 * A pod in the scheduling queue. Only the queue modifies it; a caller that has popped it only reads it and returns it.
 */
export class QueuedPodInfo implements QueuedPod {
  /** `namespace/name`. */
  readonly key: string;
  info: PodInfo;
  /** When it was added to the queue, or returned from its last attempt, in milliseconds. */
  timestamp: number;
  /** How often it was popped. */
  attempts = 0;
  /** When it first entered the active queue. */
  initialAttemptTimestamp: number | undefined;
  unschedulablePlugins: ReadonlySet<string> = none;
  pendingPlugins: ReadonlySet<string> = none;
  /** The plug-in that keeps it out of the active queue. Changes only while the pod is in no queue. */
  gate: Plugin | undefined;
  /** The number of attempts that ended with a rejection by plug-ins. */
  unschedulableCount = 0;
  /** The number of consecutive attempts that ended with an error, up to the last one. */
  consecutiveErrorsCount = 0;
  /** When its backoff ends. Computed from the counts and the timestamp on first use. */
  backoffExpiration: number | undefined;
  /** True when it is retried because it has waited too long, not because of an event. */
  wasFlushedFromUnschedulable = false;
  /** The time of the last flush, for a pod that stayed gated and waits again. */
  flushTimestamp = 0;

  constructor(info: PodInfo, timestamp: number) {
    this.info = info;
    this.key = info.key;
    this.timestamp = timestamp;
  }

  get uid(): string {
    return this.info.pod.metadata.uid ?? '';
  }

  get profile(): string {
    return this.info.pod.spec?.schedulerName ?? '';
  }

  get gatingPlugin(): string | undefined {
    return this.gate?.name;
  }

  get isGated(): boolean {
    return this.gate !== undefined;
  }

  /** Whether plug-ins rejected it. False when the last attempt failed with an error. */
  get isRejected(): boolean {
    return this.unschedulablePlugins.size + this.pendingPlugins.size > 0;
  }

  isRejectedBy(plugin: string): boolean {
    return this.unschedulablePlugins.has(plugin) || this.pendingPlugins.has(plugin);
  }
}

const none: ReadonlySet<string> = new Set();
