import type { Pod } from '@coxswain/api/core/v1';
import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { Clock, Logger, Metrics } from '@coxswain/client';
import {
  eventLabel,
  forceActivate,
  isWildcard,
  unschedulableTimeout,
  unscheduledPodAdd,
  unscheduledPodUpdate,
} from '../events/cluster-events.ts';
import { podChanges } from '../events/pod-changes.ts';
import type { ClusterEvent } from '../framework/cluster-event.ts';
import type { Plugin, QueuedPod } from '../framework/plugin.ts';
import { PodInfo } from '../framework/pod-info.ts';
import { Alarm } from './alarm.ts';
import { BackoffQueue } from './backoff-queue.ts';
import { Heap } from './heap.ts';
import { InFlightPods } from './in-flight-pods.ts';
import type { PodNominator } from './pod-nominator.ts';
import { PreEnqueue } from './pre-enqueue.ts';
import { QueueMetrics } from './queue-metrics.ts';
import { QueuedPodInfo } from './queued-pod-info.ts';
import type { QueueingHints } from './queueing-hints.ts';
import { type Requeue, Requeueing } from './requeueing.ts';
import { UnschedulablePods } from './unschedulable-pods.ts';
import { Waiters } from './waiters.ts';

export interface SchedulingQueueOptions {
  /** Returns whether `a` is scheduled before `b`. The same for all profiles. */
  readonly less: (a: QueuedPod, b: QueuedPod) => boolean;
  /** The PreEnqueue plug-ins of each profile, in order. */
  readonly preEnqueue: ReadonlyMap<string, readonly Plugin[]>;
  readonly hints: QueueingHints;
  readonly nominator: PodNominator;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Default 1 s. */
  readonly podInitialBackoffMs?: number;
  /** Default 10 s. 0: no backoff. */
  readonly podMaxBackoffMs?: number;
  /** How long a pod waits for an event at most. Default 5 minutes. */
  readonly podMaxInUnschedulablePodsMs?: number;
  /** How many events are kept for pods in flight. Default 10,000. */
  readonly mostInFlightEvents?: number;
}

/** The result of a failed attempt to schedule a pod. Without any plug-in, the attempt ended with an error. */
export interface Rejection {
  /** The current state of the pod. */
  readonly info: PodInfo;
  readonly unschedulablePlugins: ReadonlySet<string>;
  readonly pendingPlugins: ReadonlySet<string>;
}

type Place = 'active' | 'backoff' | 'unschedulable';

/** How often the queue looks for pods that have waited too long for an event. */
const flushUnschedulableEveryMs = 30_000;

/** Reasons for moves other than events of the cluster, as in metrics. */
const scheduleAttemptFailure = 'ScheduleAttemptFailure';
const backoffComplete = 'BackoffComplete';
const popFromBackoffQ = 'PopFromBackoffQ';

/**
 * The pods that wait for a node. Each is in one of these places:
 * - active: ready to be scheduled, in the order of the profile's QueueSort;
 * - backoff: to be retried, but its last attempt is too recent; taken early only when no pod is active;
 * - unschedulable: waits for an event that makes a retry worthwhile, or is gated by PreEnqueue;
 * - in flight: popped, until `done` or `addUnschedulableIfNotPresent`, and then in none of the others.
 *
 * Memory is bounded by the number of such pods, plus a limited number of events for those in flight.
 */
export class SchedulingQueue {
  readonly nominator: PodNominator;
  readonly #options: SchedulingQueueOptions;
  readonly #metrics: QueueMetrics;
  readonly #active: Heap<QueuedPodInfo>;
  readonly #backoff: BackoffQueue;
  readonly #unschedulable = new UnschedulablePods();
  readonly #inFlight: InFlightPods;
  readonly #preEnqueue: PreEnqueue;
  readonly #requeueing: Requeueing;
  /** Callers of `pop`. There are none while any pod can be popped. */
  readonly #waiters = new Waiters<QueuedPodInfo>();
  readonly #backoffAlarm: Alarm;
  readonly #unschedulableAlarm: Alarm;
  #isClosed = false;

  constructor(options: SchedulingQueueOptions) {
    const { clock, less, logger, hints } = options;
    this.#options = options;
    this.nominator = options.nominator;
    this.#metrics = new QueueMetrics(options.metrics);
    this.#active = new Heap<QueuedPodInfo>(less);
    this.#backoff = new BackoffQueue({
      clock,
      less,
      initialBackoffMs: options.podInitialBackoffMs ?? 1000,
      maxBackoffMs: options.podMaxBackoffMs ?? 10_000,
    });
    this.#inFlight = new InFlightPods(this.#metrics, options.mostInFlightEvents ?? 10_000);
    this.#preEnqueue = new PreEnqueue({ plugins: options.preEnqueue, metrics: this.#metrics, clock, logger });
    this.#requeueing = new Requeueing({ hints, metrics: this.#metrics, clock, logger });
    this.#backoffAlarm = new Alarm(clock, () => this.#flushBackoff());
    this.#unschedulableAlarm = new Alarm(clock, () => this.#flushUnschedulable());
    this.#settle();
  }

  /** Adds a pod without a node. */
  add(pod: Pod): void {
    // A pod in flight returns to the queue by itself.
    if (this.#inFlight.has(pod.metadata.uid ?? '')) return;
    this.#enqueueNew(pod, eventLabel(unscheduledPodAdd));
    this.#settle();
  }

  /** Updates a pod without a node. The change may be the event that it waits for. */
  update(old: Pod, pod: Pod): void {
    const changes = podChanges(old, pod);
    const uid = pod.metadata.uid ?? '';
    if (this.#inFlight.has(uid)) {
      for (const event of changes) this.#inFlight.add({ event, before: old, after: pod });
      return;
    }
    const info = new PodInfo(pod);
    const ready = this.#active.get(info.key) ?? this.#backoff.get(info.key);
    if (ready) {
      ready.info = info;
      if (this.#active.has(info.key)) this.#active.addOrUpdate(info.key, ready);
      else this.#backoff.add(ready);
      this.nominator.updateNominatedPod(old, info);
      return;
    }
    const waiting = this.#unschedulable.get(info.key);
    if (!waiting) this.#enqueueNew(pod, eventLabel(unscheduledPodUpdate));
    else {
      waiting.info = info;
      this.nominator.updateNominatedPod(old, info);
      this.#requeueChanged(waiting, changes, old);
    }
    this.#settle();
  }

  /** Removes a pod that was deleted, or bound by another client. */
  delete(pod: Pod): void {
    this.nominator.deleteNominatedPod(pod);
    this.#discard(keyOf(pod));
    this.#settle();
  }

  /**
   * Moves the pods to the active queue, regardless of backoff, unless they are gated. Pods in flight will be retried without waiting for an
   * event.
   */
  activate(pods: Iterable<Pod>): void {
    for (const pod of pods) {
      const key = keyOf(pod);
      const backingOff = this.#backoff.delete(key);
      const queued = backingOff ?? this.#unschedulable.delete(key);
      if (queued) this.#moveToActive(queued, eventLabel(forceActivate), backingOff !== undefined);
      else if (this.#inFlight.has(pod.metadata.uid ?? '')) {
        this.#inFlight.add({ event: forceActivate, before: undefined, after: pod });
      }
    }
    this.#settle();
  }

  /**
   * Handles an event of the cluster: moves pods that may be schedulable now, and records the event for those in flight. `preCheck` returns
   * whether the event can concern a waiting pod at all.
   */
  moveAllToActiveOrBackoffQueue(
    event: ClusterEvent,
    before: KubernetesObject | undefined,
    after: KubernetesObject | undefined,
    preCheck?: (pod: Pod) => boolean,
  ): void {
    if (!this.#options.hints.isOfInterest(event)) return;
    this.#move(this.#unschedulable.values(), event, before, after, preCheck);
  }

  /** Returns the next pod, as soon as there is one. Resolves with undefined once the queue is closed; rejects with the signal's reason. */
  pop(signal?: AbortSignal): Promise<QueuedPodInfo | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#isClosed) return Promise.resolve(undefined);
    const next = this.tryPop();
    return next ? Promise.resolve(next) : this.#waiters.wait(signal);
  }

  /** Returns the next pod if there is one now. The caller must return it to the queue, or call `done`. */
  tryPop(): QueuedPodInfo | undefined {
    if (this.#isClosed) return undefined;
    const pod = this.#take();
    if (pod) this.#reportLengths();
    return pod;
  }

  /** Ends the pod's flight: it is bound, or must not be scheduled any more. */
  done(uid: string): void {
    this.#inFlight.done(uid);
  }

  /**
   * Puts a popped pod that could not be scheduled back into the queue. It is retried after its backoff if an event meanwhile makes that
   * worthwhile, or if it failed with an error; otherwise it waits. Returns false when the queue already contains a pod of that name.
   */
  addUnschedulableIfNotPresent(queued: QueuedPodInfo, rejection: Rejection): boolean {
    const { uid } = queued;
    const events = this.#inFlight.eventsSince(uid);
    this.#inFlight.done(uid);
    if (this.get(queued.key)) return false;
    queued.info = rejection.info;
    queued.unschedulablePlugins = rejection.unschedulablePlugins;
    queued.pendingPlugins = rejection.pendingPlugins;
    if (queued.isRejected) {
      queued.unschedulableCount++;
      queued.consecutiveErrorsCount = 0;
    } else queued.consecutiveErrorsCount++;
    queued.timestamp = this.#options.clock.now();
    queued.backoffExpiration = undefined;
    queued.wasFlushedFromUnschedulable = false;
    queued.flushTimestamp = 0;
    this.#countRejections(queued, 1);
    this.#requeue(queued, this.#requeueing.afterAll(queued, events), scheduleAttemptFailure);
    this.#settle();
    return true;
  }

  /** Returns the pod with that `namespace/name`, unless it is in flight. */
  get(key: string): QueuedPodInfo | undefined {
    return this.#active.get(key) ?? this.#backoff.get(key) ?? this.#unschedulable.get(key);
  }

  /** The contents of the queues, for debugging and tests. */
  get contents(): Readonly<Record<Place, readonly Pod[]>> & { readonly inFlight: number } {
    const pods = (queued: Iterable<QueuedPodInfo>): Pod[] => Array.from(queued, ({ info }) => info.pod);
    return {
      active: pods(this.#active.values()),
      backoff: pods(this.#backoff.values()),
      unschedulable: pods(this.#unschedulable.values()),
      inFlight: this.#inFlight.size,
    };
  }

  /** Closes the queue: nothing is popped any more, and all timers are stopped. */
  close(): void {
    this.#isClosed = true;
    this.#backoffAlarm.stop();
    this.#unschedulableAlarm.stop();
    this.#inFlight.clear();
    this.#waiters.dismiss();
  }

  #take(): QueuedPodInfo | undefined {
    let pod = this.#active.pop();
    if (!pod) {
      pod = this.#backoff.pop();
      if (!pod) return undefined;
      this.#metrics.incoming('active', popFromBackoffQ);
    }
    pod.attempts++;
    this.#inFlight.start(pod.uid);
    this.#countRejections(pod, -1);
    return pod;
  }

  #enqueueNew(pod: Pod, event: string): void {
    const info = new PodInfo(pod);
    this.#discard(info.key);
    if (this.#moveToActive(new QueuedPodInfo(info, this.#options.clock.now()), event) === 'active') {
      this.nominator.addNominatedPod(info);
    }
  }

  /** Removes the pod from any queue permanently. */
  #discard(key: string): void {
    const queued = this.#active.delete(key) ?? this.#backoff.delete(key) ?? this.#unschedulable.delete(key);
    if (queued) this.#countRejections(queued, -1);
  }

  #requeueChanged(queued: QueuedPodInfo, changes: readonly ClusterEvent[], old: Pod): void {
    for (const event of changes) {
      const requeue = this.#requeueing.after(queued, event, old, queued.info.pod);
      if (requeue === 'skip') continue;
      this.#unschedulable.delete(queued.key);
      if (this.#requeue(queued, requeue, eventLabel(event)) !== 'unschedulable') return;
    }
  }

  #move(
    candidates: Iterable<QueuedPodInfo>,
    event: ClusterEvent,
    before: KubernetesObject | undefined,
    after: KubernetesObject | undefined,
    preCheck?: (pod: Pod) => boolean,
  ): void {
    // Candidates are collected before moving them: a gated pod is put back into the queue that is being iterated.
    const moves: (readonly [QueuedPodInfo, Requeue])[] = [];
    const staysGated = this.#gateCheck(event);
    for (const queued of candidates) {
      if (preCheck && !preCheck(queued.info.pod)) continue;
      if (staysGated(queued)) continue;
      const requeue = this.#requeueing.after(queued, event, before, after);
      if (requeue !== 'skip') moves.push([queued, requeue]);
    }
    for (const [queued, requeue] of moves) {
      this.#unschedulable.delete(queued.key);
      this.#requeue(queued, requeue, eventLabel(event));
    }
    this.#inFlight.add({ event, before, after });
    if (moves.length > 0) this.#settle();
  }

  /**
   * Returns a predicate: whether a pod is gated and the event cannot change that. Only events that the gating plug-in registered for can;
   * for those the plug-in is called again. The check must be cheap: there may be thousands of pods for each of thousands of events.
   */
  #gateCheck(event: ClusterEvent): (pod: QueuedPodInfo) => boolean {
    if (isWildcard(event)) return () => false;
    let asked: Plugin | undefined;
    let isConcerned = false;
    return (pod) => {
      const { gate } = pod;
      if (!gate) return false;
      // Consecutive pods usually have the same gating plug-in.
      if (gate !== asked) isConcerned = this.#options.hints.concerns(gate.name, event);
      asked = gate;
      return !isConcerned || this.#preEnqueue.isStillGated(pod);
    };
  }

  /** Puts a pod that is in no queue into the right one. */
  #requeue(queued: QueuedPodInfo, requeue: Requeue, event: string): Place {
    if (requeue === 'skip') return this.#moveToUnschedulable(queued, event);
    // The backoff may have ended while the pod waited for the event.
    const waits = requeue === 'afterBackoff' && this.#backoff.isBackingOff(queued);
    return waits ? this.#moveToBackoff(queued, event) : this.#moveToActive(queued, event);
  }

  #moveToActive(queued: QueuedPodInfo, event: string, isGateBehind = false): Place {
    if (!isGateBehind) this.#preEnqueue.run(queued);
    if (queued.isGated) return this.#moveToUnschedulable(queued, event);
    queued.initialAttemptTimestamp ??= this.#options.clock.now();
    this.#active.addOrUpdate(queued.key, queued);
    this.#metrics.incoming('active', event);
    return 'active';
  }

  /** Runs PreEnqueue as well, because a pod may be taken from the backoff queue at any time. */
  #moveToBackoff(queued: QueuedPodInfo, event: string): Place {
    this.#preEnqueue.run(queued);
    if (queued.isGated) return this.#moveToUnschedulable(queued, event);
    this.#backoff.add(queued);
    this.#metrics.incoming('backoff', event);
    return 'backoff';
  }

  #moveToUnschedulable(queued: QueuedPodInfo, event: string): Place {
    // A gated pod is not scheduled, so the flush does not lead to an attempt.
    queued.wasFlushedFromUnschedulable = false;
    this.#unschedulable.add(queued);
    this.#metrics.incoming('unschedulable', event);
    return 'unschedulable';
  }

  #flushBackoff(): void {
    for (const queued of this.#backoff.popCompleted()) this.#moveToActive(queued, backoffComplete, true);
    this.#settle();
  }

  /** Retries pods that have waited too long, without an event, since hints may be wrong. */
  #flushUnschedulable(): void {
    const now = this.#options.clock.now();
    const longestMs = this.#options.podMaxInUnschedulablePodsMs ?? 5 * 60_000;
    const overdue = [...this.#unschedulable.values()].filter(
      ({ timestamp, flushTimestamp }) => now - Math.max(timestamp, flushTimestamp) > longestMs,
    );
    for (const queued of overdue) {
      queued.wasFlushedFromUnschedulable = true;
      queued.flushTimestamp = now;
    }
    if (overdue.length > 0) this.#move(overdue, unschedulableTimeout, undefined, undefined);
    this.#settle();
  }

  /** Must be called after every change: serves waiting callers of `pop`, sets the alarms and reports metrics. */
  #settle(): void {
    this.#waiters.serve(() => this.#take());
    const nextBackoff = this.#backoff.nextCompletion;
    if (nextBackoff !== undefined) this.#backoffAlarm.setAt(nextBackoff);
    if (this.#unschedulable.size > 0)
      this.#unschedulableAlarm.setAt(this.#options.clock.now() + flushUnschedulableEveryMs);
    this.#reportLengths();
  }

  #reportLengths(): void {
    this.#metrics.length('active', this.#active.size);
    this.#metrics.length('backoff', this.#backoff.size);
    this.#metrics.length('unschedulable', this.#unschedulable.size - this.#unschedulable.gated);
    this.#metrics.length('gated', this.#unschedulable.gated);
  }

  #countRejections({ unschedulablePlugins, pendingPlugins, profile }: QueuedPodInfo, by: 1 | -1): void {
    for (const plugin of unschedulablePlugins) this.#metrics.rejected(plugin, profile, by);
    for (const plugin of pendingPlugins)
      if (!unschedulablePlugins.has(plugin)) this.#metrics.rejected(plugin, profile, by);
  }
}

const keyOf = ({ metadata: { namespace = '', name = '' } }: Pod): string => `${namespace}/${name}`;
