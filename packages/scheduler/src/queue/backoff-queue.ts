import type { Clock } from '@coxswain/client';
import { Heap } from './heap.ts';
import type { QueuedPodInfo } from './queued-pod-info.ts';

export interface BackoffOptions {
  readonly clock: Clock;
  /** The order of the active queue. */
  readonly less: (a: QueuedPodInfo, b: QueuedPodInfo) => boolean;
  readonly initialBackoffMs: number;
  /** 0: no backoff. */
  readonly maxBackoffMs: number;
}

/** Backoffs that end in the same window end together, so that pods are ordered by priority instead of by small differences in time. */
const windowMs = 1000;
const windowOf = (time: number): number => Math.floor(time / windowMs) * windowMs;

/**
 * Pods that shall be retried, but not yet: each waits twice as long as the last time. Pods that plug-ins rejected may be taken early when
 * the active queue is empty. Pods that failed with an error may not, because their backoff spares the API server.
 */
export class BackoffQueue {
  readonly #options: BackoffOptions;
  readonly #rejected: Heap<QueuedPodInfo>;
  readonly #failed: Heap<QueuedPodInfo>;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#rejected = new Heap((a, b) => {
      const difference = this.expiration(a) - this.expiration(b);
      return difference === 0 ? options.less(a, b) : difference < 0;
    });
    this.#failed = new Heap((a, b) => this.expiration(a) < this.expiration(b));
  }

  get size(): number {
    return this.#rejected.size + this.#failed.size;
  }

  get(key: string): QueuedPodInfo | undefined {
    return this.#rejected.get(key) ?? this.#failed.get(key);
  }

  add(pod: QueuedPodInfo): void {
    (pod.isRejected ? this.#rejected : this.#failed).addOrUpdate(pod.key, pod);
  }

  delete(key: string): QueuedPodInfo | undefined {
    return this.#rejected.delete(key) ?? this.#failed.delete(key);
  }

  /** Removes and returns the next pod that may be taken early. */
  pop(): QueuedPodInfo | undefined {
    return this.#rejected.pop();
  }

  /** Removes and returns all pods whose backoff has ended. */
  popCompleted(): QueuedPodInfo[] {
    const completed: QueuedPodInfo[] = [];
    for (const heap of [this.#rejected, this.#failed]) {
      for (let first = heap.peek(); first && !this.isBackingOff(first); first = heap.peek()) {
        heap.pop();
        completed.push(first);
      }
    }
    return completed;
  }

  /** When the next backoff ends; undefined when the queue is empty. */
  get nextCompletion(): number | undefined {
    const rejected = this.#rejected.peek();
    const failed = this.#failed.peek();
    if (!rejected || !failed) return (rejected ?? failed) && this.expiration((rejected ?? failed)!) + windowMs;
    return Math.min(this.expiration(rejected), this.expiration(failed)) + windowMs;
  }

  *values(): IterableIterator<QueuedPodInfo> {
    yield* this.#rejected.values();
    yield* this.#failed.values();
  }

  isBackingOff(pod: QueuedPodInfo): boolean {
    return this.expiration(pod) >= windowOf(this.#options.clock.now());
  }

  /** The start of the window in which the pod's backoff ends; negative infinity for a pod that was never tried. */
  expiration(pod: QueuedPodInfo): number {
    if (pod.backoffExpiration === undefined) {
      const durationMs = this.#durationMs(pod.consecutiveErrorsCount || pod.unschedulableCount);
      pod.backoffExpiration = durationMs > 0 ? windowOf(pod.timestamp + durationMs) : Number.NEGATIVE_INFINITY;
    }
    return pod.backoffExpiration;
  }

  #durationMs(attempts: number): number {
    const { initialBackoffMs, maxBackoffMs } = this.#options;
    return attempts === 0 ? 0 : Math.min(initialBackoffMs * 2 ** (attempts - 1), maxBackoffMs);
  }
}
