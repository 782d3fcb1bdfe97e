import type { Container, Pod } from '@coxswain/api/core/v1';
import { type Clock, sleep } from '@coxswain/client';
import type { HookRunner } from '../hooks/hook-runner.ts';
import type { PodEvents } from '../pods/pod-events.ts';
import { isSidecar } from '../pods/restart-rules.ts';
import type { KubeRuntime } from '../runtime/kube-runtime.ts';
import type { RuntimePod } from '../runtime/runtime-pod.ts';

export interface KillerOptions {
  readonly runtime: Pick<KubeRuntime, 'stopContainer' | 'stopPodSandbox'>;
  readonly hooks: HookRunner;
  readonly events: PodEvents;
  readonly clock: Clock;
}

export interface KillOptions {
  /** The message of the Killing event. If absent, it has a default message. */
  readonly message?: string;
  /** The probe that failed, if that is the reason. */
  readonly probe?: 'Liveness' | 'Startup' | undefined;
  /** Overrides the grace period of the pod. */
  readonly gracePeriodSeconds?: number | undefined;
  /** The container is stopped after this promise has resolved, or when its grace period ends. */
  readonly turn?: Promise<unknown>;
  /** Aborted when the container is killed with a shorter grace period by another call. */
  readonly signal?: AbortSignal | undefined;
}

const shortestGraceSeconds = 2;

/** Stops containers: runs preStop hooks, respects grace periods, and stops sidecars last. */
export class ContainerKiller {
  readonly #options: KillerOptions;

  constructor(options: KillerOptions) {
    this.#options = options;
  }

  /** Stops a container after its preStop hook. Resolves when it has ended, or when the signal is aborted. */
  async kill(pod: Pod, container: Container, id: string, options: KillOptions = {}): Promise<void> {
    const { runtime, events, clock } = this.#options;
    const { message = `Stopping container ${container.name}`, gracePeriodSeconds, turn, signal } = options;
    events.container(pod, container, 'Normal', 'Killing', message);
    const graceMs = (gracePeriodSeconds ?? gracePeriodOf(pod, container, options.probe)) * 1000;
    const deadlineMs = clock.now() + graceMs;
    const leftMs = (): number => deadlineMs - clock.now();
    if (container.lifecycle?.preStop && graceMs > 0) {
      await this.#within(leftMs(), (within) => this.#runPreStop(pod, container, id, within), signal);
    }
    if (turn && leftMs() > 0) await this.#within(leftMs(), () => turn, signal);
    if (signal?.aborted) return;
    const stopped = runtime.stopContainer(id, Math.max(Math.ceil(leftMs() / 1000), shortestGraceSeconds));
    await (signal ? Promise.race([stopped, whenAborted(signal)]) : stopped);
  }

  /**
   * Stops all containers of a pod, then its sandboxes. Resolves early if the signal is aborted. If a container cannot be stopped, the call
   * rejects after all others are stopped.
   */
  async killPod(
    pod: Pod,
    runtimePod: RuntimePod,
    options: { readonly gracePeriodSeconds?: number | undefined; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    const initContainers = pod.spec?.initContainers ?? [];
    const containers = pod.spec?.containers ?? [];
    const ephemeralContainers = pod.spec?.ephemeralContainers ?? [];
    const kills: Promise<void>[] = [];
    // These promises resolve even if the container cannot be stopped.
    const ended = new Map<string, Promise<void>>();
    const kill = (container: Container, turn?: Promise<unknown>): void => {
      const running = runtimePod.containers.find(({ name, state }) => name === container.name && state === 'Running');
      if (!running) return;
      const killed = this.kill(pod, container, running.id, { ...options, ...(turn && { turn }) });
      kills.push(killed);
      ended.set(
        container.name,
        killed.catch(() => {}),
      );
    };
    for (const container of [...containers, ...ephemeralContainers]) kill(container);
    for (const container of initContainers) if (!isSidecar(container)) kill(container);
    const mains = Promise.all(containers.map(({ name }) => ended.get(name)));
    // Sidecars are stopped in reverse order, after the main containers have ended.
    let later: Promise<unknown> = mains;
    for (const sidecar of initContainers.filter(isSidecar).reverse()) {
      kill(sidecar, later);
      later = Promise.all([mains, later, ended.get(sidecar.name)]);
    }
    const failed = (await Promise.allSettled(kills)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    if (options.signal?.aborted) return;
    for (const { id } of runtimePod.sandboxes) await this.#options.runtime.stopPodSandbox(id);
  }

  async #runPreStop(pod: Pod, container: Container, id: string, signal: AbortSignal): Promise<void> {
    const { hooks, events } = this.#options;
    try {
      const handler = container.lifecycle!.preStop!;
      const warn = (reason: string, message: string): void => events.pod(pod, 'Warning', reason, message);
      await hooks.run({ kind: 'PreStop', handler, pod, container, containerId: id, warn }, signal);
    } catch {
      if (signal.aborted) return;
      // The output of the hook may be secret, so the event does not have it.
      events.container(pod, container, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
    }
  }

  /** Resolves when the work is done, its time is over or the signal is aborted. Work that is not done by then is cancelled. */
  async #within(
    timeMs: number,
    work: (signal: AbortSignal) => Promise<unknown>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const stop = new AbortController();
    const aborted = (): void => stop.abort();
    signal?.addEventListener('abort', aborted, { once: true });
    await Promise.race([work(stop.signal), sleep(this.#options.clock, timeMs, stop.signal).catch(() => {})]);
    stop.abort();
    signal?.removeEventListener('abort', aborted);
  }
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

/** Returns the grace period: that of the deletion, else that of the failed probe, else that of the pod. */
function gracePeriodOf({ metadata, spec }: Pod, container: Container, probe?: 'Liveness' | 'Startup'): number {
  if (metadata.deletionGracePeriodSeconds !== undefined) return Number(metadata.deletionGracePeriodSeconds);
  const ofPod = spec?.terminationGracePeriodSeconds;
  if (ofPod === undefined) return shortestGraceSeconds;
  const failed = probe && (probe === 'Liveness' ? container.livenessProbe : container.startupProbe);
  return Number(failed?.terminationGracePeriodSeconds ?? ofPod);
}
