import type { Plugin, QueuedPod } from '../framework/plugin.ts';
import type { PodInfo } from '../framework/pod-info.ts';

/** A pod on its way through the queues. Only the queue changes it; whoever has popped it reads it and gives it back. */
export class QueuedPodInfo implements QueuedPod {
  /** `namespace/name`. */
  readonly key: string;
  info: PodInfo;
  /** When it came into the queue, or came back from its last attempt, in milliseconds. */
  timestamp: number;
  /** How often it was popped. */
  attempts = 0;
  /** When it first came into the active queue. */
  initialAttemptTimestamp: number | undefined;
  unschedulablePlugins: ReadonlySet<string> = none;
  pendingPlugins: ReadonlySet<string> = none;
  /** The plug-in that keeps it out of the active queue. Changes only while the pod is in no queue. */
  gate: Plugin | undefined;
  /** How many attempts ended with a plug-in's no. */
  unschedulableCount = 0;
  /** How many of the last attempts ended with an error. */
  consecutiveErrorsCount = 0;
  /** When its backoff is over; made from the counts and the timestamp when it is first asked for. */
  backoffExpiration: number | undefined;
  /** It is tried because it has waited too long, not because of an event. */
  wasFlushedFromUnschedulable = false;
  /** When that was, if it is gated all the same and goes on waiting. */
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

  /** Whether a plug-in rejected it at all: an attempt that failed with an error has none. */
  get isRejected(): boolean {
    return this.unschedulablePlugins.size + this.pendingPlugins.size > 0;
  }

  isRejectedBy(plugin: string): boolean {
    return this.unschedulablePlugins.has(plugin) || this.pendingPlugins.has(plugin);
  }
}

const none: ReadonlySet<string> = new Set();
