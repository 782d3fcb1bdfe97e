import type { Clock } from '@coxswain/client';
import { Heap } from './heap.ts';
import type { QueuedPodInfo } from './queued-pod-info.ts';

export interface BackoffOptions {
  readonly clock: Clock;
  /** The order of the active queue. */
  readonly less: (a: QueuedPodInfo, b: QueuedPodInfo) => boolean;
  readonly initialBackoffMs: number;
  /** 0: there is no backoff at all. */
  readonly maxBackoffMs: number;
}

/** Backoffs that end in one window end together, so that the more important pod is first, not the one a moment earlier. */
const windowMs = 1000;
const windowOf = (time: number): number => Math.floor(time / windowMs) * windowMs;

/**
 * Pods that are worth another try, but not at once: each waits twice as long as the last time. Those that plug-ins rejected may
 * be taken before their time when there is nothing else to do; those that failed with an error may not, for it is the API server
 * that is spared.
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

  /** The next of those that may be taken before their time. */
  pop(): QueuedPodInfo | undefined {
    return this.#rejected.pop();
  }

  /** Takes out all that have waited long enough. */
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

  /** When the next has waited long enough; undefined when none waits. */
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

  /** The window in which its backoff ends; long ago for a pod that was never tried. */
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
