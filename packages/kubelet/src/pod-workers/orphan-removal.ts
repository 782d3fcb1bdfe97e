import { type Clock, type Logger, sleep } from '@coxswain/client';
import type { Machine } from '../machine/machine.ts';
import type { PodSource } from '../pods/pod-source.ts';
import type { KubeRuntime, ListedPod } from '../runtime/kube-runtime.ts';

export interface OrphanRemovalOptions {
  readonly runtime: Pick<KubeRuntime, 'listPods' | 'stopContainer' | 'removePodSandbox'>;
  readonly machine: Pick<Machine, 'podUids' | 'removePod'>;
  /** Returns whether the node has a worker for the pod. */
  readonly hasWorker: (podUid: string) => boolean;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const periodMs = 10_000;
/** The grace period of pods that are in the runtime, but no longer in the API server. */
const graceSeconds = 1;

/**
 * Removes orphans: containers, cgroups and files of pods that the node no longer has. Pods become orphans when they are deleted while no
 * kubelet runs, and when the runtime completes a request that the kubelet has given up.
 */
export class OrphanRemoval {
  readonly #options: OrphanRemovalOptions;
  #hasSucceeded = false;
  #isDue = true;
  #wake: () => void = () => {};

  constructor(options: OrphanRemovalOptions) {
    this.#options = options;
  }

  /** True once all orphans of earlier kubelets are removed. */
  get hasSucceeded(): boolean {
    return this.#hasSucceeded;
  }

  /** Called when something has changed in the runtime that belongs to a pod without a worker. */
  suspect(): void {
    this.#isDue = true;
    this.#wake();
  }

  /** Removes orphans when all pods are known, and later when there may be new ones, until the signal is aborted. Failures are retried. */
  async run(pods: PodSource, signal: AbortSignal): Promise<void> {
    const { clock, logger, nodeName } = this.#options;
    while (!signal.aborted) {
      try {
        await pods.whenSynced(signal);
        await this.#untilDue(signal);
        this.#isDue = false;
        await this.#remove(signal);
        this.#hasSucceeded = true;
      } catch (error) {
        if (signal.aborted) return;
        this.#isDue = true;
        logger.error('Failed to remove orphaned pods', error, { node: nodeName });
      }
      await sleep(clock, periodMs, signal).catch(() => {});
    }
  }

  async #untilDue(signal: AbortSignal): Promise<void> {
    const stopped = (): void => this.#wake();
    signal.addEventListener('abort', stopped, { once: true });
    while (!this.#isDue && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    signal.removeEventListener('abort', stopped);
    signal.throwIfAborted();
  }

  async #remove(signal: AbortSignal): Promise<void> {
    const { runtime, machine, hasWorker } = this.#options;
    const listed = new Map((await runtime.listPods(signal)).map((pod) => [pod.uid, pod]));
    for (const uid of new Set([...listed.keys(), ...(await machine.podUids())])) {
      if (!hasWorker(uid)) await this.#removePod(uid, listed.get(uid), signal);
    }
  }

  async #removePod(uid: string, pod: ListedPod | undefined, signal: AbortSignal): Promise<void> {
    const { runtime, machine } = this.#options;
    const running = pod?.containers.filter(({ state }) => state === 'Running') ?? [];
    await Promise.all(running.map(({ id }) => runtime.stopContainer(id, graceSeconds, signal)));
    for (const { id } of pod?.sandboxes ?? []) await runtime.removePodSandbox(id, signal);
    await machine.removePod(uid);
  }
}
