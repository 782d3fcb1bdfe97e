import type { Pod, PodCondition, PodSpec } from '@coxswain/api/core/v1';
import type { Clock, Timer } from '@coxswain/client';
import type { Rejection } from '../admission/rejection.ts';
import { type ResizeOf, resizesOf } from '../containers/resize.ts';
import type { PodEvents } from '../pods/pod-events.ts';
import { latestContainer, type RuntimePod } from '../runtime/runtime-pod.ts';
import type { RuntimeSettings } from '../runtime/runtime-settings.ts';
import { allocatedByStatus, hasSameResources, resizable, withResourcesOf } from './allocated-pod.ts';
import { ResizeConditions } from './resize-conditions.ts';
import { resizeMessage } from './resize-message.ts';
import { byUrgency } from './resize-order.ts';

export interface AllocationManagerOptions {
  readonly events: PodEvents;
  readonly clock: Clock;
  readonly settings: RuntimeSettings;
  /** Returns a pod of the node; undefined if it is gone. */
  readonly pod: (uid: string) => Pod | undefined;
  /** Returns why the node has no room for what the pod requests; undefined if it has. */
  readonly rejectionOf: (pod: Pod) => Rejection | undefined;
  /** Called when a pod must be synced, or its status has changed. */
  readonly onChanged: (uid: string) => void;
}

const firstRetryMs = 30_000;
const retryMs = 180_000;

/**
 * Keeps the resources that are allocated to each pod of a node. A resize is allocated when the node has room for it; until then the pod
 * keeps its old allocation.
 *
 * Differs from upstream: there are no checkpoint files. A restarted kubelet reads the allocation from the pod's status.
 */
export class AllocationManager {
  readonly #options: AllocationManagerOptions;
  /** The spec of each pod, by uid, at the time of its last allocation. */
  readonly #allocated = new Map<string, PodSpec>();
  /** By uid; only for pods that were resized. */
  readonly #conditions = new Map<string, ResizeConditions>();
  /** The uids of pods whose resize waits for room. */
  readonly #pending = new Set<string>();
  #timer: Timer | undefined;

  constructor(options: AllocationManagerOptions) {
    this.#options = options;
  }

  /** Allocates the resources of a pod that was admitted. */
  add(pod: Pod): void {
    const uid = uidOf(pod);
    const known = ResizeConditions.of(pod);
    const waits = known.get('PodResizePending') !== undefined;
    this.#allocated.set(uid, waits ? allocatedByStatus(pod) : pod.spec!);
    if (known.list.length > 0) this.#conditions.set(uid, known);
    if (!waits) return;
    this.#pending.add(uid);
    this.#retryAfter(firstRetryMs);
  }

  remove(podUid: string): void {
    this.#allocated.delete(podUid);
    this.#conditions.delete(podUid);
    this.#pending.delete(podUid);
    this.retry();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Returns the pod with its allocated resources instead of the requested ones. */
  allocatedPod(pod: Pod): Pod {
    const spec = this.#allocated.get(uidOf(pod));
    if (!spec || spec === pod.spec) return pod;
    if (!hasSameResources(spec, pod.spec!)) return withResourcesOf(pod, spec);
    // Keeping the new spec frees the old one, and makes the next comparison cheap.
    this.#allocated.set(uidOf(pod), pod.spec!);
    return pod;
  }

  conditionsOf(podUid: string): PodCondition[] {
    return this.#conditions.get(podUid)?.list ?? [];
  }

  /** Forgets the resize of a pod that has ended. */
  clear(podUid: string): void {
    this.#conditions.delete(podUid);
    this.#pending.delete(podUid);
  }

  /** Starts or cancels a resize if the requested resources have changed. */
  update(before: Pod, pod: Pod): void {
    if (hasSameResources(before.spec!, pod.spec!)) return;
    if (this.allocatedPod(pod) === pod) this.#stopWaiting(uidOf(pod));
    else this.#pending.add(uidOf(pod));
    this.retry();
  }

  /** Tries to allocate the pending resizes. */
  retry(): void {
    if (this.#pending.size === 0) return;
    const waiting = [...this.#pending].flatMap((uid) => {
      const pod = this.#options.pod(uid);
      if (!pod) return [];
      const { lastTransitionTime } = this.#conditions.get(uid)?.get('PodResizePending') ?? {};
      const sinceMs = Date.parse(lastTransitionTime ?? '') || Number.POSITIVE_INFINITY;
      return { pod, allocated: this.allocatedPod(pod), sinceMs };
    });
    for (const { pod } of waiting.sort(byUrgency)) this.#resize(pod);
    if (this.#pending.size > 0) this.#retryAfter(retryMs);
    else this.#timer?.cancel();
  }

  /** Ends a resize when the containers have the allocated resources. */
  noteProgress(allocated: Pod, runtimePod: RuntimePod): void {
    const uid = uidOf(allocated);
    const conditions = this.#conditions.get(uid);
    if (
      !conditions?.get('PodResizeInProgress') ||
      isResizing(allocated, runtimePod, resizesOf(allocated, this.#options.settings))
    )
      return;
    const { observedGeneration = 0 } = conditions.clear('PodResizeInProgress')!;
    const message = resizeMessage('completed', allocated, Number(observedGeneration));
    this.#options.events.pod(allocated, 'Normal', 'ResizeCompleted', message);
    this.retry();
  }

  #resize(pod: Pod): void {
    const { events, clock, rejectionOf, onChanged } = this.#options;
    const uid = uidOf(pod);
    const generation = Number(pod.metadata.generation ?? 0);
    const conditions = this.#conditions.get(uid) ?? new ResizeConditions();
    this.#conditions.set(uid, conditions);
    const rejection = rejectionOf(pod);
    if (!rejection) {
      this.#allocated.set(uid, pod.spec!);
      this.#stopWaiting(uid);
      conditions.clear('PodResizeInProgress');
      conditions.set('PodResizeInProgress', { generation }, clock.now());
      events.pod(pod, 'Normal', 'ResizeStarted', resizeMessage('started', pod, generation));
      onChanged(uid);
      return;
    }
    const { reason, message } = rejection;
    const before = conditions.get('PodResizePending');
    conditions.set('PodResizePending', { reason: 'Deferred', message, generation }, clock.now());
    if (before?.reason === 'Deferred' && Number(before.observedGeneration) === generation) return;
    events.pod(pod, 'Warning', 'ResizeDeferred', resizeMessage(reason, pod, generation, message));
    onChanged(uid);
  }

  #stopWaiting(uid: string): void {
    this.#pending.delete(uid);
    this.#conditions.get(uid)?.clear('PodResizePending');
  }

  #retryAfter(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.setTimeout(() => this.retry(), delayMs);
  }
}

const isResizing = ({ spec }: Pod, runtimePod: RuntimePod, resizeOf: ResizeOf): boolean =>
  resizable(spec!).some((container) => {
    const latest = latestContainer(runtimePod, container.name);
    return latest?.state === 'Running' && resizeOf(container, latest) !== undefined;
  });

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
