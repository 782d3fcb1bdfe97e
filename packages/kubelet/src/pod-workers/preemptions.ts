import type { Pod } from '@coxswain/api/core/v1';
import type { Clock, Timer } from '@coxswain/client';
import type { PodEvents } from '../pods/pod-events.ts';
import type { Eviction } from '../status/pod-status.ts';

/** The part of `PodWorker` that preemptions use. */
interface Worker {
  readonly uid: string;
  readonly pod: Pod;
  evict(eviction: Eviction, graceSeconds: number): void;
  block(): void;
  unblock(): void;
}

interface Wait {
  readonly worker: Worker;
  /** The preempted pods that have not ended yet, by uid. */
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

/**
 * Terminates pods so that critical pods can run. No admitted pod starts before the preempted pods have ended. A preempted pod that exceeds
 * its grace period is waited for only 1.5 times that period.
 */
export class Preemptions {
  readonly #options: PreemptionsOptions;
  /** The admitted pods that wait, by uid. */
  readonly #waits = new Map<string, Wait>();

  constructor(options: PreemptionsOptions) {
    this.#options = options;
  }

  /** Returns whether the pod is preempted and has not ended yet. Its resources count as free. */
  isVictim(podUid: string): boolean {
    return [...this.#waits.values()].some(({ victims }) => victims.has(podUid));
  }

  /** Returns whether the pod waits until preempted pods have ended. */
  isWaiting(podUid: string): boolean {
    return this.#waits.has(podUid);
  }

  /** Terminates the victims. Blocks the admitted pod until they, and the victims of earlier preemptions, have ended. */
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

  /** Called when all containers of a pod have ended. */
  ended(podUid: string): void {
    for (const [uid, { victims }] of this.#waits) {
      victims.delete(podUid);
      if (victims.size === 0) this.#finish(uid);
    }
  }

  /** Removes a waiting pod without unblocking it. */
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
