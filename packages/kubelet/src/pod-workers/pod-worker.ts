import type { Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Clock, Logger, Timer } from '@coxswain/client';
import type { AllocationManager } from '../allocation/allocation-manager.ts';
import type { ContainerKiller } from '../containers/kill-pod.ts';
import type { PodSyncer, SyncResult } from '../containers/pod-syncer.ts';
import type { Machine } from '../machine/machine.ts';
import type { KubeletMetrics } from '../metrics/kubelet-metrics.ts';
import type { PodEvents } from '../pods/pod-events.ts';
import type { ProbeManager } from '../probes/probe-manager.ts';
import type { KubeRuntime } from '../runtime/kube-runtime.ts';
import type { PodSetup } from '../runtime/pod-setup.ts';
import type { RuntimePod } from '../runtime/runtime-pod.ts';
import type { StartFailure } from '../status/container-statuses.ts';
import { type Eviction, generatePodStatus } from '../status/pod-status.ts';
import type { StatusManager } from '../status/status-manager.ts';
import type { ConfigSource } from '../volumes/config-source.ts';
import { missingPullSecrets } from '../volumes/pull-secrets.ts';
import { activeDeadlineAtMs, deadlineExceeded } from './active-deadline.ts';

/** The dependencies that all workers of a node share. */
export interface PodWorkerContext {
  readonly runtime: KubeRuntime;
  readonly machine: Machine;
  readonly syncer: PodSyncer;
  readonly killer: ContainerKiller;
  readonly probes: ProbeManager;
  readonly statuses: StatusManager;
  readonly config: ConfigSource;
  readonly allocations: AllocationManager;
  readonly events: PodEvents;
  readonly metrics: Pick<KubeletMetrics, 'podWorker'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  hostIPs(): readonly string[];
  /** Called when all containers of the pod have ended and none will be started. */
  onTerminated(podUid: string): void;
  /** Called when the pod is deleted in the API server and removed from the node. */
  onGone(podUid: string): void;
}

/**
 * - `Syncing`: the pod is brought to the state that its spec describes.
 * - `Terminating`: the pod's containers are stopped. A pod never leaves this state for `Syncing`.
 * - `Terminated`: no container runs. The pod's volumes and cgroup are released.
 * - `Finished`: the final status is set. Containers and logs are kept until the pod is deleted in the API server.
 */
export type PodWorkerState = 'Syncing' | 'Terminating' | 'Terminated' | 'Finished';

const retryMs = 10_000;
const retryJitter = 0.5;
const firstMountRetryMs = 500;
const longestMountRetryMs = 122_000;

/** Runs one pod from its admission to its removal from the node. Only one step is under way at a time. */
export class PodWorker {
  readonly uid: string;
  #pod: Pod;
  #state: PodWorkerState;
  /** True once the pod is deleted in the API server. */
  #isGone = false;
  #graceSeconds: number | undefined;
  #eviction: Eviction | undefined;
  /** Aborted when the grace period becomes shorter, to start again with that. Undefined unless containers are being stopped. */
  #termination: AbortController | undefined;
  /** Cancels the sync that is under way. Undefined if there is none. */
  #syncing: AbortController | undefined;
  /** Aborted by `stop`. Cancels the work that is not part of a sync. */
  readonly #stopping = new AbortController();
  /** Resolves when the steps in progress have ended. */
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;
  #isPending = false;
  #isStopped = false;
  /** True while the pod must not be started. It can be terminated. */
  #isBlocked = false;
  #timer: Timer | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #isMounted = false;
  #hasSynced = false;
  #mountRetryMs = firstMountRetryMs;
  readonly #failures = new Map<string, StartFailure>();
  readonly #context: PodWorkerContext;

  constructor(pod: Pod, state: PodWorkerState, context: PodWorkerContext) {
    this.uid = pod.metadata.uid ?? '';
    this.#pod = pod;
    this.#state = state;
    this.#context = context;
  }

  get pod(): Pod {
    return this.#pod;
  }

  /** The pod with the resources that are allocated to it. They differ from its spec while a resize is pending. */
  get #allocated(): Pod {
    return this.#context.allocations.allocatedPod(this.#pod);
  }

  get state(): PodWorkerState {
    return this.#state;
  }

  /** Takes over a new state of the pod from the API server. */
  observe(pod: Pod): void {
    this.#pod = pod;
    this.#context.machine.observe(pod);
    if (pod.metadata.deletionTimestamp) this.#syncing?.abort();
    this.#shortenGrace();
  }

  /** The pod is deleted in the API server: terminates it and removes everything of it. */
  gone(pod: Pod): void {
    this.#isGone = true;
    this.#syncing?.abort();
    this.observe(pod);
    this.kick();
  }

  /**
   * Terminates the pod, with a grace period of at most `graceSeconds`. Returns false, and has no effect, if the pod is terminating or has
   * ended.
   */
  evict(eviction: Eviction, graceSeconds: number): boolean {
    if (this.#state !== 'Syncing') return false;
    this.#eviction = eviction;
    this.#graceSeconds = Math.min(Number(this.#pod.spec?.terminationGracePeriodSeconds ?? graceSeconds), graceSeconds);
    this.#state = 'Terminating';
    this.#syncing?.abort();
    this.kick();
    return true;
  }

  /** Makes the worker of a pod that the node does not admit `Finished`, so that nothing is started. */
  reject(): void {
    this.#state = 'Finished';
  }

  /** Defers syncing until `unblock` is called. A pod that is deleted is terminated nevertheless. */
  block(): void {
    this.#isBlocked = true;
  }

  unblock(): void {
    this.#isBlocked = false;
    this.kick();
  }

  /** Runs the next step now, or right after the step that is under way. */
  kick(): void {
    this.#isPending = true;
    if (this.#isBlocked && this.#state === 'Syncing' && !this.#isGone && !this.#pod.metadata.deletionTimestamp) return;
    if (!this.#isWorking && !this.#isStopped) this.#working = this.#work();
  }

  /** Called when the result of a probe has changed. The status is also updated while the pod is terminating, which may take long. */
  probed(): void {
    this.kick();
    if (this.#termination) void this.#tellWhileTerminating(this.#termination);
  }

  /** Starts no further step, and cancels the current one. Containers keep running. Resolves when the step has ended. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopping.abort();
    this.#syncing?.abort();
    this.#termination?.abort();
    this.#timer?.cancel();
    return this.#working;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#isPending && !this.#isStopped) {
      this.#isPending = false;
      this.#timer?.cancel();
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      try {
        await this.#step();
      } catch (error) {
        if (this.#isStopped) break;
        this.#context.logger.error('Error syncing pod, skipping', error, { pod: this.#pod, podUID: this.uid });
        this.#retryAfter(retryMs * (1 + this.#context.random() * retryJitter));
      }
    }
    this.#isWorking = false;
    this.#context.statuses.flush(this.uid);
  }

  async #step(): Promise<void> {
    if (this.#state === 'Syncing' && (this.#isGone || this.#pod.metadata.deletionTimestamp))
      this.#state = 'Terminating';
    switch (this.#state) {
      case 'Syncing':
        return await this.#syncUnlessAborted();
      case 'Terminating':
        return await this.#terminate();
      case 'Terminated':
        await this.#context.machine.releasePod(this.#pod, this.#stopping.signal);
        this.#context.statuses.finish(this.#pod);
        this.#state = 'Finished';
        this.#isPending = this.#isGone;
        return;
      case 'Finished':
        if (this.#isGone) await this.#cleanUp();
    }
  }

  /** Syncs the pod until it is done or cancelled. A terminating pod must not wait for images or volumes. */
  async #syncUnlessAborted(): Promise<void> {
    const { metrics, clock } = this.#context;
    const syncing = new AbortController();
    this.#syncing = syncing;
    const begunMs = clock.monotonic();
    try {
      await this.#sync(syncing.signal);
      metrics.podWorker(this.#hasSynced ? 'sync' : 'create', (clock.monotonic() - begunMs) / 1000);
      this.#hasSynced = true;
    } catch (error) {
      if (!syncing.signal.aborted) throw error;
      this.#isPending = true;
    } finally {
      this.#syncing = undefined;
    }
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { runtime, syncer, events, allocations } = this.#context;
    const runtimePod = await runtime.podStatus(this.uid, signal);
    const pod = this.#allocated;
    allocations.noteProgress(pod, runtimePod);
    const isEnded = this.#tellStatus(runtimePod, false);
    if (isEnded) {
      this.#state = 'Terminating';
      this.#isPending = true;
      return;
    }
    const { networkProblem } = await runtime.health({ signal });
    if (networkProblem !== undefined && !pod.spec?.hostNetwork) {
      events.pod(pod, 'Warning', 'NetworkNotReady', `network is not ready: ${networkProblem}`);
      return this.#retryAfter(1000);
    }
    const setup = await this.#prepare(signal);
    if (!(await this.#mount(signal))) return;
    await this.#tellOfPullSecrets();
    const old = this.#context.statuses.get(this.uid) ?? pod.status ?? {};
    const statuses = [...(old.initContainerStatuses ?? []), ...(old.containerStatuses ?? [])];
    const isRestartingAll =
      old.conditions?.some(({ type, status }) => type === 'AllContainersRestarting' && status === 'True') ?? false;
    const result = await syncer.sync({
      pod,
      runtimePod,
      isRestartingAll,
      setup,
      signal,
      restartCountOf: (name) => statuses.find((status) => status.name === name)?.restartCount ?? 0,
    });
    this.#noteFailures(result);
    this.#scheduleRetry(result);
    this.#scheduleDeadline();
    const after = await runtime.podStatus(this.uid, signal);
    allocations.noteProgress(pod, after);
    this.#tellStatus(after, false);
    // The containers have been removed. The next step starts them again.
    if (isRestartingAll) this.#isPending = true;
    if (result.error !== undefined) throw result.error;
  }

  /** Creates the pod's directories and cgroup. */
  async #prepare(signal: AbortSignal): Promise<PodSetup> {
    const { machine, events } = this.#context;
    try {
      return await machine.preparePod(this.#allocated, signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = `unable to ensure pod container exists: ${messageOf(error)}`;
      events.pod(this.#pod, 'Warning', 'FailedToCreatePodContainer', message);
      throw error;
    }
  }

  /** Mounts the volumes and returns whether all are mounted. Volumes stay mounted even if their Secret or ConfigMap is deleted. */
  async #mount(signal: AbortSignal): Promise<boolean> {
    if (this.#isMounted) return true;
    const { events, machine } = this.#context;
    const problems = await machine.mountVolumes(this.#pod, signal);
    this.#isMounted = problems.length === 0;
    for (const problem of problems) events.pod(this.#pod, 'Warning', 'FailedMount', problem);
    if (this.#isMounted) return true;
    this.#retryAfter(this.#mountRetryMs);
    this.#mountRetryMs = Math.min(this.#mountRetryMs * 2, longestMountRetryMs);
    return false;
  }

  async #tellOfPullSecrets(): Promise<void> {
    const { events, config } = this.#context;
    if (!this.#pod.spec?.imagePullSecrets) return;
    const missing = await missingPullSecrets(this.#pod, config);
    if (missing.length === 0) return;
    const message = `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`;
    events.pod(this.#pod, 'Warning', 'FailedToRetrieveImagePullSecret', message);
  }

  async #terminate(): Promise<void> {
    const { runtime, probes, killer, events } = this.#context;
    const pod = this.#pod;
    this.#graceSeconds = this.#effectiveGrace();
    const termination = new AbortController();
    this.#termination = termination;
    const runtimePod = await runtime.podStatus(this.uid, this.#stopping.signal);
    this.#tellStatus(runtimePod, false);
    probes.stopLivenessAndStartup(this.uid);
    try {
      await killer.killPod(pod, runtimePod, { gracePeriodSeconds: this.#graceSeconds, signal: termination.signal });
    } catch (error) {
      this.#stopping.signal.throwIfAborted();
      events.pod(pod, 'Warning', 'FailedKillPod', `error killing pod: ${messageOf(error)}`);
      throw error;
    } finally {
      this.#termination = undefined;
    }
    if (termination.signal.aborted) {
      this.#isPending = true;
      return;
    }
    probes.remove(this.uid);
    this.#state = 'Terminated';
    this.#isPending = true;
    this.#tellStatus(await runtime.podStatus(this.uid, this.#stopping.signal), true);
    this.#context.onTerminated(this.uid);
  }

  async #tellWhileTerminating(termination: AbortController): Promise<void> {
    const { runtime, statuses, logger } = this.#context;
    try {
      const runtimePod = await runtime.podStatus(this.uid, termination.signal);
      if (this.#termination !== termination || this.#isStopped) return;
      this.#tellStatus(runtimePod, false);
      statuses.flush(this.uid);
    } catch (error) {
      if (termination.signal.aborted) return;
      logger.error('Failed to update the readiness of a terminating pod', error, { pod: this.#pod, podUID: this.uid });
    }
  }

  async #cleanUp(): Promise<void> {
    const { runtime, machine, syncer, statuses, metrics, clock } = this.#context;
    const begunMs = clock.monotonic();
    const { sandboxes } = await runtime.podStatus(this.uid, this.#stopping.signal);
    for (const { id } of sandboxes) await runtime.removePodSandbox(id, this.#stopping.signal);
    await machine.removePod(this.uid);
    syncer.forgetPod(this.#pod);
    statuses.forget(this.uid);
    metrics.podWorker('terminated', (clock.monotonic() - begunMs) / 1000);
    void this.stop();
    this.#context.onGone(this.uid);
  }

  /** Computes and sets the pod's status. Returns whether its phase is Succeeded or Failed. */
  #tellStatus(runtimePod: RuntimePod, isTerminal: boolean): boolean {
    const { runtime, probes, statuses, events, clock, allocations } = this.#context;
    const pod = this.#allocated;
    if (isTerminal) allocations.clear(this.uid);
    else probes.update(pod, runtimePod);
    const old = statuses.get(this.uid) ?? pod.status ?? {};
    const nowMs = clock.now();
    const eviction = this.#eviction ?? deadlineExceeded(pod, old, nowMs);
    if (eviction && !this.#eviction && old.reason !== eviction.reason)
      events.pod(pod, 'Normal', eviction.reason, eviction.message);
    const status = generatePodStatus({
      pod,
      runtimePod,
      runtimeName: runtime.name,
      old,
      failures: this.#failures,
      probes,
      hostIPs: this.#context.hostIPs(),
      isTerminal,
      eviction,
      resize: allocations.conditionsOf(this.uid),
      nowMs,
    });
    statuses.set(pod, status);
    return status.phase === 'Succeeded' || status.phase === 'Failed';
  }

  #noteFailures({ starts }: SyncResult): void {
    for (const [name, error] of starts) {
      if (error) this.#failures.set(name, { reason: error.reason, message: error.message });
      else this.#failures.delete(name);
    }
  }

  #scheduleRetry({ starts }: SyncResult): void {
    const { clock, random } = this.#context;
    for (const error of starts.values()) {
      if (!error) continue;
      const delayMs = retryMs * (1 + random() * retryJitter);
      this.#retryAfter(error.retryAtMs === undefined ? delayMs : error.retryAtMs - clock.now());
    }
  }

  #scheduleDeadline(): void {
    const atMs = activeDeadlineAtMs(this.#pod, this.#context.statuses.get(this.uid) ?? {});
    if (atMs !== undefined) this.#retryAfter(atMs - this.#context.clock.now());
  }

  /** Runs the next step after the delay at the latest. An earlier time that is already set is kept. */
  #retryAfter(delayMs: number): void {
    const { clock } = this.#context;
    const atMs = clock.now() + Math.max(0, delayMs);
    if (atMs >= this.#timerAtMs) return;
    this.#timer?.cancel();
    this.#timerAtMs = atMs;
    this.#timer = clock.setTimeout(() => this.kick(), atMs - clock.now());
  }

  /** Returns the grace period in seconds. It never becomes longer than before, and is at least 1. */
  #effectiveGrace(): number {
    const { metadata, spec } = this.#pod;
    const ofServer = metadata.deletionGracePeriodSeconds;
    const wanted =
      ofServer ?? (this.#graceSeconds === undefined ? (spec?.terminationGracePeriodSeconds ?? 30) : undefined);
    const all = [this.#graceSeconds, wanted].filter((seconds) => seconds !== undefined).map(Number);
    return Math.max(1, Math.min(...all));
  }

  #shortenGrace(): void {
    if (!this.#termination || this.#graceSeconds === undefined) return;
    if (this.#effectiveGrace() < this.#graceSeconds) this.#termination.abort();
  }
}
