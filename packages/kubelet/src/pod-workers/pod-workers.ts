import { podQOS } from '@coxswain/api';
import type { Node, Pod, PodStatus } from '@coxswain/api/core/v1';
import { jsonEquals } from '@coxswain/apimachinery/json';
import { rejectionOf } from '../admission/admit-pod.ts';
import type { PodHandler } from '../pods/pod-source.ts';
import type { Eviction } from '../status/pod-status.ts';
import { PodWorker, type PodWorkerContext } from './pod-worker.ts';

export interface PodWorkersOptions extends Omit<PodWorkerContext, 'onGone'> {
  /** Undefined as long as it is not known: then every pod is taken. */
  readonly node: () => Node | undefined;
}

const isEnded = (status: PodStatus | undefined): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** A worker for each of the node's pods, by uid. */
export class PodWorkers implements PodHandler {
  readonly #options: PodWorkersOptions;
  readonly #context: PodWorkerContext;
  readonly #workers = new Map<string, PodWorker>();
  #isStopped = false;

  constructor(options: PodWorkersOptions) {
    this.#options = options;
    this.#context = {
      ...options,
      onGone: (uid) => {
        this.#workers.delete(uid);
      },
    };
  }

  /** All pods that the node has, those that have ended included. */
  get pods(): Pod[] {
    return [...this.#workers.values()].map(({ pod }) => pod);
  }

  get(podUid: string): PodWorker | undefined {
    return this.#workers.get(podUid);
  }

  /** Anything of it may still run. */
  mayRun(podUid: string): boolean {
    const state = this.#workers.get(podUid)?.state;
    return state === 'Syncing' || state === 'Terminating';
  }

  onPod(pod: Pod): void {
    if (this.#isStopped) return;
    const uid = pod.metadata.uid ?? '';
    const worker = this.#workers.get(uid);
    if (worker) {
      const before = worker.pod;
      worker.observe(pod);
      this.#context.statuses.observe(pod);
      if (asksForMore(before, pod)) worker.kick();
      return;
    }
    const state = isEnded(pod.status) ? 'Terminated' : this.#admit(pod) ? 'Syncing' : 'Finished';
    const added = new PodWorker(pod, state, this.#context);
    this.#workers.set(uid, added);
    added.kick();
  }

  onPodGone(pod: Pod): void {
    this.#workers.get(pod.metadata.uid ?? '')?.gone(pod);
  }

  kick(podUid: string): void {
    this.#workers.get(podUid)?.kick();
  }

  /** Ends every pod that runs. */
  evictAll(eviction: Eviction, graceSeconds: number): void {
    for (const worker of this.#workers.values()) worker.evict(eviction, graceSeconds);
  }

  /** Nothing more is done; what runs goes on running. */
  stop(): void {
    this.#isStopped = true;
    for (const worker of this.#workers.values()) worker.stop();
  }

  /** Whether the node takes the pod. One that it does not take has failed. */
  #admit(pod: Pod): boolean {
    const { events, statuses, runtime, node } = this.#options;
    for (const warning of runtime.podWarnings?.(pod) ?? []) events.pod(pod, 'Warning', 'InvalidAnnotation', warning);
    const known = node();
    if (!known || pod.metadata.deletionTimestamp) return true;
    const rejection = rejectionOf(pod, known, this.#activePods());
    if (!rejection) return true;
    const { reason, message } = rejection;
    events.pod(pod, 'Warning', reason, message);
    const { generation } = pod.metadata;
    statuses.reject(pod, {
      ...(generation !== undefined && { observedGeneration: Number(generation) }),
      phase: 'Failed',
      reason,
      message: `Pod was rejected: ${message}`,
      qosClass: pod.status?.qosClass ?? podQOS(pod),
    });
    return false;
  }

  #activePods(): Pod[] {
    const active: Pod[] = [];
    for (const { pod, state } of this.#workers.values()) {
      if (state !== 'Finished' && !isEnded(pod.status)) active.push(pod);
    }
    return active;
  }
}

/** More than the status has changed, which is the kubelet's own; readiness gates are others' part of it. */
function asksForMore(before: Pod, after: Pod): boolean {
  const demand = ({ metadata, spec, status }: Pod): unknown => [
    metadata.generation,
    metadata.deletionTimestamp,
    metadata.deletionGracePeriodSeconds,
    metadata.annotations,
    metadata.labels,
    ...(spec?.readinessGates ?? []).map(
      ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status,
    ),
  ];
  return !jsonEquals(demand(before), demand(after));
}
