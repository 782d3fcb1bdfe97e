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
  /** Which of two pods is tried first. The same for all profiles. */
  readonly less: (a: QueuedPod, b: QueuedPod) => boolean;
  /** The PreEnqueue plug-ins of each profile, in order. */
  readonly preEnqueue: ReadonlyMap<string, readonly Plugin[]>;
  readonly hints: QueueingHints;
  readonly nominator: PodNominator;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** 1 s unless told. */
  readonly podInitialBackoffMs?: number;
  /** 10 s unless told. 0: no backoff at all. */
  readonly podMaxBackoffMs?: number;
  /** How long a pod waits for an event at most; 5 minutes unless told. */
  readonly podMaxInUnschedulablePodsMs?: number;
  /** How many events are remembered for pods in flight; 10,000 unless told. */
  readonly mostInFlightEvents?: number;
}

/** How an attempt to schedule a pod ended. Without any plug-in it ended with an error. */
export interface Rejection {
  /** The pod as it is known now. */
  readonly info: PodInfo;
  readonly unschedulablePlugins: ReadonlySet<string>;
  readonly pendingPlugins: ReadonlySet<string>;
}

type Place = 'active' | 'backoff' | 'unschedulable';

/** How often those are looked for that have waited too long for an event. */
const flushUnschedulableEveryMs = 30_000;

/** Why a pod moves, where it is no event of the cluster. */
const scheduleAttemptFailure = 'ScheduleAttemptFailure';
const backoffComplete = 'BackoffComplete';
const popFromBackoffQ = 'PopFromBackoffQ';

/**
 * The pods that wait for a node. Each is in one place:
 * - active: to be tried, in the order of the profile's QueueSort;
 * - backoff: worth a try, but tried too lately for it; taken early only when none is active;
 * - unschedulable: waits for an event that its plug-ins find worth a try, or is gated by PreEnqueue;
 * - in flight: popped, until `done` or `addUnschedulableIfNotPresent`. It is in none of the others then.
 *
 * It holds no more than there are such pods, and a bounded number of events for those in flight.
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
  /** None waits while any pod may be popped. */
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

  /** A pod that has no node yet. */
  add(pod: Pod): void {
    // One that is being tried comes back by itself.
    if (this.#inFlight.has(pod.metadata.uid ?? '')) return;
    this.#enqueueNew(pod, eventLabel(unscheduledPodAdd));
    this.#settle();
  }

  /** A pod without a node has changed. If it waits for an event, this may be the one. */
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

  /** The pod is gone, or has a node by somebody else. */
  delete(pod: Pod): void {
    this.nominator.deleteNominatedPod(pod);
    this.#discard(keyOf(pod));
    this.#settle();
  }

  /** Brings the pods into the active queue, backoff or not, unless they are gated. Those in flight will not wait for an event. */
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
   * Something happened in the cluster: brings those pods back that may be schedulable now, and remembers it for those in
   * flight. `preCheck` tells which waiting pods it can be about at all.
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

  /** The next pod, as soon as there is one. Undefined once the queue is closed; rejects with the signal's reason. */
  pop(signal?: AbortSignal): Promise<QueuedPodInfo | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#isClosed) return Promise.resolve(undefined);
    const next = this.tryPop();
    return next ? Promise.resolve(next) : this.#waiters.wait(signal);
  }

  /** The next pod, if there is one now. Whoever takes it gives it back, or says `done`. */
  tryPop(): QueuedPodInfo | undefined {
    if (this.#isClosed) return undefined;
    const pod = this.#take();
    if (pod) this.#reportLengths();
    return pod;
  }

  /** The pod is bound, or nobody wants it scheduled any more. */
  done(uid: string): void {
    this.#inFlight.done(uid);
  }

  /**
   * Gives a popped pod back that could not be scheduled. It is tried again after its backoff if anything happened meanwhile that
   * may help, or if it failed with an error; otherwise it waits. False when there is such a pod again already.
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

  /** The pod of that `namespace/name`, unless it is in flight. */
  get(key: string): QueuedPodInfo | undefined {
    return this.#active.get(key) ?? this.#backoff.get(key) ?? this.#unschedulable.get(key);
  }

  /** What is where, for those who look for a fault. */
  get contents(): Readonly<Record<Place, readonly Pod[]>> & { readonly inFlight: number } {
    const pods = (queued: Iterable<QueuedPodInfo>): Pod[] => Array.from(queued, ({ info }) => info.pod);
    return {
      active: pods(this.#active.values()),
      backoff: pods(this.#backoff.values()),
      unschedulable: pods(this.#unschedulable.values()),
      inFlight: this.#inFlight.size,
    };
  }

  /** Nothing is popped any more, and no timer is left. */
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

  /** Takes the pod out, wherever it is, for good. */
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
    // First who, then where to: a gated pod goes back to where it came from.
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
   * Tells of pods whether they are gated, and the event cannot change that: nothing that the gating plug-in has not asked for can.
   * Where it has asked, it is asked once more; there may be thousands of pods for each of thousands of events.
   */
  #gateCheck(event: ClusterEvent): (pod: QueuedPodInfo) => boolean {
    if (isWildcard(event)) return () => false;
    let asked: Plugin | undefined;
    let isConcerned = false;
    return (pod) => {
      const { gate } = pod;
      if (!gate) return false;
      // Mostly it is the same for one pod after the other.
      if (gate !== asked) isConcerned = this.#options.hints.concerns(gate.name, event);
      asked = gate;
      return !isConcerned || this.#preEnqueue.isStillGated(pod);
    };
  }

  /** Puts a pod that is in no queue into one. */
  #requeue(queued: QueuedPodInfo, requeue: Requeue, event: string): Place {
    if (requeue === 'skip') return this.#moveToUnschedulable(queued, event);
    // Its backoff may have ended while it waited for the event.
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

  /** The gate is here too: from the backoff queue a pod may be taken at once. */
  #moveToBackoff(queued: QueuedPodInfo, event: string): Place {
    this.#preEnqueue.run(queued);
    if (queued.isGated) return this.#moveToUnschedulable(queued, event);
    this.#backoff.add(queued);
    this.#metrics.incoming('backoff', event);
    return 'backoff';
  }

  #moveToUnschedulable(queued: QueuedPodInfo, event: string): Place {
    // A gated pod is not tried, so it has not been tried because of that.
    queued.wasFlushedFromUnschedulable = false;
    this.#unschedulable.add(queued);
    this.#metrics.incoming('unschedulable', event);
    return 'unschedulable';
  }

  #flushBackoff(): void {
    for (const queued of this.#backoff.popCompleted()) this.#moveToActive(queued, backoffComplete, true);
    this.#settle();
  }

  /** Hints may be wrong. Who has waited for very long is tried without an event. */
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

  /** After every change: pods go to those who wait for them, and alarms are set for those that wait. */
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
