import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import { eventLabel } from '../events/cluster-events.ts';
import type { ClusterEvent } from '../framework/cluster-event.ts';
import type { QueueMetrics } from './queue-metrics.ts';

/** Something that happened while pods were in flight. */
export interface InFlightEvent {
  readonly event: ClusterEvent;
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
}

/** What metrics call a pod among the events. */
const podPopped = 'PodPopped';

/**
 * The pods that were popped and are neither bound nor back, and what happened meanwhile: none of them may miss an event that
 * comes between the look at the cluster that failed it and its return into the queue.
 */
export class InFlightPods {
  /** When each was popped, as the number of the event that would have come next. The first is the one longest in flight. */
  readonly #poppedAt = new Map<string, number>();
  /** What happened since the first of the pods was popped; `#events[i]` has the number `#first + i`. */
  readonly #events: InFlightEvent[] = [];
  #first = 0;
  readonly #metrics: QueueMetrics;
  readonly #mostEvents: number;

  /** Of more than so many events (a pod may be in flight for minutes, waiting for its volume) the older half is forgotten. */
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

  /** Notes the event, if anyone is in flight. */
  add(event: InFlightEvent): void {
    if (this.#poppedAt.size === 0) return;
    this.#events.push(event);
    this.#metrics.inFlight(eventLabel(event.event), 1);
    if (this.#events.length > this.#mostEvents) this.#forget(this.#first + (this.#events.length >> 1));
  }

  /** What happened since the pod was popped. Undefined when that is not known any more: then anything may have. */
  eventsSince(uid: string): readonly InFlightEvent[] | undefined {
    const poppedAt = this.#poppedAt.get(uid);
    return poppedAt === undefined || poppedAt < this.#first ? undefined : this.#events.slice(poppedAt - this.#first);
  }

  /** The pod is bound, back, or gone. Harmless for one that is not in flight. */
  done(uid: string): void {
    if (!this.#poppedAt.delete(uid)) return;
    this.#metrics.inFlight(podPopped, -1);
    const [oldest = this.#first + this.#events.length] = this.#poppedAt.values();
    this.#forget(oldest);
  }

  clear(): void {
    for (const uid of [...this.#poppedAt.keys()]) this.done(uid);
  }

  /** All events before the one of that number. */
  #forget(number: number): void {
    if (number <= this.#first) return;
    for (const { event } of this.#events.splice(0, number - this.#first)) this.#metrics.inFlight(eventLabel(event), -1);
    this.#first = number;
  }
}
