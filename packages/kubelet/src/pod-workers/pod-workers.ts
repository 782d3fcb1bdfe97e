import { podQOS } from '@coxswain/api';
import type { Node, Pod, PodStatus } from '@coxswain/api/core/v1';
import { jsonEquals } from '@coxswain/apimachinery/json';
import { type Admission, PodAdmission } from '../admission/pod-admission.ts';
import type { Rejection } from '../admission/rejection.ts';
import { AllocationManager } from '../allocation/allocation-manager.ts';
import type { KubeletMetrics } from '../metrics/kubelet-metrics.ts';
import type { PodHandler } from '../pods/pod-source.ts';
import type { RuntimeSettings } from '../runtime/runtime-settings.ts';
import { isStaticPod } from '../static-pods/read-static-pods.ts';
import type { Eviction } from '../status/pod-status.ts';
import { PodWorker, type PodWorkerContext } from './pod-worker.ts';
import { Preemptions } from './preemptions.ts';

export interface PodWorkersOptions extends Omit<PodWorkerContext, 'onTerminated' | 'onGone' | 'allocations'> {
  /** The Node object. While it is undefined, every pod is admitted. */
  readonly node: () => Node | undefined;
  /** Reads the Node object from the API server. */
  readonly fetchNode: () => Promise<Node>;
  readonly settings: RuntimeSettings;
  readonly metrics: Pick<KubeletMetrics, 'podWorker' | 'podRejected'>;
}

const isEnded = (status: PodStatus | undefined): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

const shuttingDown: Rejection = {
  reason: 'NodeShutdown',
  message: 'Pod was rejected as the node is shutting down.',
};

/** The workers of the node's pods, by uid. */
export class PodWorkers implements PodHandler {
  readonly #options: PodWorkersOptions;
  readonly #context: PodWorkerContext;
  readonly #allocations: AllocationManager;
  readonly #admission: PodAdmission;
  readonly #workers = new Map<string, PodWorker>();
  /** Changed static pods, by uid. Each starts when its predecessor of the same name is gone. */
  readonly #waiting = new Map<string, Pod>();
  readonly #preemptions: Preemptions;
  #isStopped = false;
  #isShuttingDown = false;

  constructor(options: PodWorkersOptions) {
    this.#options = options;
    this.#admission = new PodAdmission(options.settings);
    this.#preemptions = new Preemptions(options);
    this.#allocations = new AllocationManager({
      events: options.events,
      clock: options.clock,
      settings: options.settings,
      pod: (uid) => this.#workers.get(uid)?.pod,
      rejectionOf: (pod) => this.#rejectionOf(pod),
      onChanged: (uid) => this.kick(uid),
    });
    this.#context = {
      ...options,
      allocations: this.#allocations,
      onTerminated: (uid) => this.#preemptions.ended(uid),
      onGone: (uid) => {
        this.#preemptions.forget(uid);
        this.#workers.delete(uid);
        this.#allocations.remove(uid);
        this.#startWaiting();
      },
    };
  }

  /** All pods of the node, including those that have ended. */
  get pods(): Pod[] {
    return [...this.#workers.values()].map(({ pod }) => pod);
  }

  /** The pods whose containers may run, with the resources that are allocated to them. */
  get active(): Pod[] {
    const workers = [...this.#workers.values()].filter(({ state }) => state === 'Syncing' || state === 'Terminating');
    return workers.map(({ pod }) => this.#allocations.allocatedPod(pod));
  }

  get(podUid: string): PodWorker | undefined {
    return this.#workers.get(podUid);
  }

  /** Returns whether containers of the pod may still run. */
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
      if (worker.state === 'Syncing') this.#allocations.update(before, pod);
      // The resources of a pod that has ended are free for pending resizes.
      if (isEnded(pod.status) && !isEnded(before.status)) this.#allocations.retry();
      if (asksForMore(before, pod)) worker.kick();
      return;
    }
    if (isStaticPod(pod) && this.#hasPredecessor(pod)) {
      this.#waiting.set(uid, pod);
      return;
    }
    const added = new PodWorker(pod, isEnded(pod.status) ? 'Terminated' : 'Syncing', this.#context);
    this.#workers.set(uid, added);
    if (added.state === 'Syncing') this.#admit(added);
    added.kick();
  }

  onPodGone(pod: Pod): void {
    this.#waiting.delete(pod.metadata.uid ?? '');
    this.#workers.get(pod.metadata.uid ?? '')?.gone(pod);
  }

  kick(podUid: string): void {
    this.#workers.get(podUid)?.kick();
  }

  /** Called when the result of one of the pod's probes has changed. */
  probed(podUid: string): void {
    this.#workers.get(podUid)?.probed();
  }

  /** Terminates a pod. Returns false, and has no effect, if it is unknown, terminating or has ended. */
  evict(podUid: string, eviction: Eviction, graceSeconds: number): boolean {
    return this.#workers.get(podUid)?.evict(eviction, graceSeconds) ?? false;
  }

  /** Terminates all pods and rejects new ones. */
  shutDown(eviction: Eviction, graceSeconds: number): void {
    this.#isShuttingDown = true;
    for (const worker of this.#workers.values()) worker.evict(eviction, graceSeconds);
  }

  /** Stops all workers and ignores further pods. Containers keep running. Resolves when no worker is active. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#allocations.stop();
    this.#preemptions.stop();
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()));
  }

  #hasPredecessor({ metadata: { namespace, name } }: Pod): boolean {
    return this.pods.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  }

  #startWaiting(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const pod of waiting) this.onPod(pod);
  }

  /** Decides whether the node admits the pod. Allocates its resources, or makes it fail. */
  #admit(worker: PodWorker): void {
    const { machine, events } = this.#options;
    const { pod } = worker;
    for (const warning of machine.podWarnings?.(pod) ?? []) events.pod(pod, 'Warning', 'InvalidAnnotation', warning);
    if (pod.metadata.deletionTimestamp) {
      this.#allocations.add(pod);
      return;
    }
    const admission = this.#admissionBesideVictims(pod, this.#options.node());
    // The cached Node may have older labels than the scheduler's, so affinity is checked again with the current one.
    if (isForAffinity(admission)) void this.#admitByCurrentNode(worker, admission);
    else this.#conclude(worker, admission);
  }

  async #admitByCurrentNode(worker: PodWorker, before: Admission): Promise<void> {
    const { fetchNode, logger } = this.#options;
    worker.block();
    const node = await fetchNode().catch((error: unknown) => {
      if (!this.#isStopped) logger.error('Failed to synchronously fetch node info', error);
      return undefined;
    });
    if (this.#isStopped) return;
    // If the pod was deleted meanwhile, it is terminated without a decision.
    if (worker.state === 'Syncing' && !worker.pod.metadata.deletionTimestamp) {
      this.#conclude(worker, node ? this.#admissionBesideVictims(worker.pod, node) : before);
    }
    if (!this.#preemptions.isWaiting(worker.uid)) worker.unblock();
  }

  #conclude(worker: PodWorker, { rejection, victims }: Admission): void {
    const { events, statuses } = this.#options;
    const { pod } = worker;
    if (!rejection || victims.length > 0) {
      this.#allocations.add(pod);
      const workers = victims.map(({ metadata }) => this.#workers.get(metadata.uid ?? ''));
      this.#preemptions.start(
        worker,
        workers.filter((victim) => victim !== undefined),
      );
      return;
    }
    worker.reject();
    const { reason, message } = rejection;
    this.#options.metrics.podRejected(reason);
    events.pod(pod, 'Warning', reason, message);
    const { generation } = pod.metadata;
    statuses.reject(pod, {
      ...(generation !== undefined && { observedGeneration: Number(generation) }),
      phase: 'Failed',
      reason,
      message: `Pod was rejected: ${message}`,
      qosClass: pod.status?.qosClass ?? podQOS(pod),
    });
  }

  /** Resources of preempted pods count as free, because no pod is started before they have ended. */
  #admissionBesideVictims(pod: Pod, node: Node | undefined): Admission {
    const others = this.#othersThan(pod).filter(({ metadata }) => !this.#preemptions.isVictim(metadata.uid ?? ''));
    return this.#admissionOf(pod, node, others);
  }

  /** Returns why a resize does not fit. Resizes never preempt pods: they are deferred until there are enough resources. */
  #rejectionOf(pod: Pod): Rejection | undefined {
    return this.#admissionOf(pod, this.#options.node(), this.#othersThan(pod)).rejection;
  }

  #admissionOf(pod: Pod, node: Node | undefined, others: readonly Pod[]): Admission {
    const admission = node && this.#admission.admit(pod, node, others);
    if (admission?.rejection && admission.victims.length === 0) return admission;
    return this.#isShuttingDown
      ? { rejection: shuttingDown, victims: [] }
      : (admission ?? { rejection: undefined, victims: [] });
  }

  /** Returns the other pods that have not ended, with the resources that are allocated to them. */
  #othersThan({ metadata: { uid } }: Pod): Pod[] {
    const others: Pod[] = [];
    for (const { pod, state } of this.#workers.values()) {
      if (state === 'Terminated' || state === 'Finished' || isEnded(pod.status) || pod.metadata.uid === uid) continue;
      others.push(this.#allocations.allocatedPod(pod));
    }
    return others;
  }
}

const isForAffinity = ({ rejection, victims }: Admission): boolean =>
  rejection?.reason === 'NodeAffinity' && victims.length === 0;

/** Returns whether the worker must act on a change. Of the status, only conditions of readiness gates count: the rest is the kubelet's. */
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
