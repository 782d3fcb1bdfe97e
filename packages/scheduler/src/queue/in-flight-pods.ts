import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { eventLabel } from '../events/cluster-events.ts';
import type { ClusterEvent } from '../framework/cluster-event.ts';
import type { QueueMetrics } from './queue-metrics.ts';

/** An event that happened while pods were in flight. */
export interface InFlightEvent {
  readonly event: ClusterEvent;
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
}

/** The label of a popped pod in the metric of in-flight events. */
const podPopped = 'PodPopped';

/**
 * The pods that were popped and are neither bound nor back in the queue, and the events since then. With them no pod misses an event
 * between the snapshot on which it failed and its return to the queue.
 */
export class InFlightPods {
  /** By UID: the number of the next event when the pod was popped. In order of popping, so the first pod is longest in flight. */
  readonly #poppedAt = new Map<string, number>();
  /** The events since the first of the pods was popped; `#events[i]` has the number `#first + i`. */
  readonly #events: InFlightEvent[] = [];
  #first = 0;
  readonly #metrics: QueueMetrics;
  readonly #mostEvents: number;

  /**
   * When there are more than `mostEvents` events, the older half is dropped: a pod may be in flight for minutes while it waits for a
   * volume.
   */
  constructor(metrics: QueueMetrics, mostEvents: number) {
    this.#metrics = metrics;
    this.#mostEvents = mostEvents;
  }

  get size(): number {
    return this.#poppedAt.size;
  }

  has(uid: string): boolean {
    return this.#poppedAt.has(uid);
  }

  start(uid: string): void {
    this.#poppedAt.set(uid, this.#first + this.#events.length);
    this.#metrics.inFlight(podPopped, 1);
  }

  /** Records the event if any pod is in flight. */
  add(event: InFlightEvent): void {
    if (this.#poppedAt.size === 0) return;
    this.#events.push(event);
    this.#metrics.inFlight(eventLabel(event.event), 1);
    if (this.#events.length > this.#mostEvents) this.#forget(this.#first + (this.#events.length >> 1));
  }

  /** The events since the pod was popped. Undefined when some of them were dropped: then any event may have happened. */
  eventsSince(uid: string): readonly InFlightEvent[] | undefined {
    const poppedAt = this.#poppedAt.get(uid);
    return poppedAt === undefined || poppedAt < this.#first ? undefined : this.#events.slice(poppedAt - this.#first);
  }

  /** Ends the pod's flight: it is bound, back in the queue, or deleted. No effect for a pod that is not in flight. */
  done(uid: string): void {
    if (!this.#poppedAt.delete(uid)) return;
    this.#metrics.inFlight(podPopped, -1);
    const [oldest = this.#first + this.#events.length] = this.#poppedAt.values();
    this.#forget(oldest);
  }

  clear(): void {
    for (const uid of [...this.#poppedAt.keys()]) this.done(uid);
  }

  /** Drops all events before that number. */
  #forget(number: number): void {
    if (number <= this.#first) return;
    for (const { event } of this.#events.splice(0, number - this.#first)) this.#metrics.inFlight(eventLabel(event), -1);
    this.#first = number;
  }
}
