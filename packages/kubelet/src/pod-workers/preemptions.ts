import type { Pod } from '@coxswain/api/core/v1';
import type { Clock, Timer } from '@coxswain/client';
import type { PodEvents } from '../pods/pod-events.ts';
import type { Eviction } from '../status/pod-status.ts';

/** What a preemption does with the worker of a pod. */
interface Worker {
  readonly uid: string;
  readonly pod: Pod;
  evict(eviction: Eviction, graceSeconds: number): void;
  block(): void;
  unblock(): void;
}

interface Wait {
  readonly worker: Worker;
  /** The uids of pods that have not ended yet. */
  readonly victims: Map<string, Pod>;
  readonly timer: Timer;
}

export interface PreemptionsOptions {
  readonly events: PodEvents;
  readonly clock: Clock;
}

const eviction: Eviction = {
  reason: 'Preempting',
  message: 'Preempted in order to admit critical pod',
  isDisruption: true,
  disruptionMessage: 'Pod was preempted by Kubelet to accommodate a critical pod.',
};
const shortestWaitMs = 10_000;

/** Pods that end so that critical pods can run. Nothing starts on the node before they have ended, or should have. */
export class Preemptions {
  readonly #options: PreemptionsOptions;
  /** By the uid of the pod that waits. */
  readonly #waits = new Map<string, Wait>();

  constructor(options: PreemptionsOptions) {
    this.#options = options;
  }

  /** Whether the pod is to end for a critical one. What it has is counted as free. */
  isVictim(podUid: string): boolean {
    return [...this.#waits.values()].some(({ victims }) => victims.has(podUid));
  }

  /** Whether the pod waits for others to end. */
  isWaiting(podUid: string): boolean {
    return this.#waits.has(podUid);
  }

  /** Ends the victims. The pod that was admitted starts when they, and those of earlier preemptions, have ended. */
  start(admitted: Worker, victims: readonly Worker[]): void {
    const { events, clock } = this.#options;
    const pending = new Map<string, Pod>();
    for (const { victims: others } of this.#waits.values()) for (const [uid, pod] of others) pending.set(uid, pod);
    for (const victim of victims) {
      const { pod, uid } = victim;
      pending.set(uid, pod);
      events.pod(pod, 'Warning', eviction.reason, eviction.message);
      victim.evict(eviction, graceSecondsOf(pod));
    }
    if (pending.size === 0) return;
    const waitMs = Math.max(shortestWaitMs, ...Array.from(pending.values(), (pod) => graceSecondsOf(pod) * 1500));
    const timer = clock.setTimeout(() => this.#timeOut(admitted.uid), waitMs);
    this.#waits.set(admitted.uid, { worker: admitted, victims: pending, timer });
    admitted.block();
  }

  /** Nothing of the pod runs any more. */
  ended(podUid: string): void {
    for (const [uid, { victims }] of this.#waits) {
      victims.delete(podUid);
      if (victims.size === 0) this.#finish(uid);
    }
  }

  /** Forgets a pod that waits. */
  forget(podUid: string): void {
    this.#waits.get(podUid)?.timer.cancel();
    this.#waits.delete(podUid);
  }

  stop(): void {
    for (const uid of [...this.#waits.keys()]) this.forget(uid);
  }

  #timeOut(uid: string): void {
    for (const pod of this.#waits.get(uid)?.victims.values() ?? []) {
      const message = 'Container runtime did not kill the pod within specified grace period.';
      this.#options.events.pod(pod, 'Warning', 'ExceededGracePeriod', message);
    }
    this.#finish(uid);
  }

  #finish(uid: string): void {
    const worker = this.#waits.get(uid)?.worker;
    this.forget(uid);
    worker?.unblock();
  }
}

const graceSecondsOf = ({ spec }: Pod): number => Number(spec?.terminationGracePeriodSeconds ?? 0);
