import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type Clock, type EventRecorder, type Logger, sleep } from '@coxswain/client';
import type { ContainerLogManager } from '../logs/container-log-manager.ts';
import { removeDanglingLogSymlinks, removeLogSymlink } from '../logs/log-symlinks.ts';
import { podUidOfLogDirectory } from '../logs/pod-log-directory.ts';
import type { KubeRuntime } from '../runtime/kube-runtime.ts';
import { aggregateError } from './aggregate-error.ts';
import { ContainerGroups, type DeadContainer, deadContainers } from './dead-containers.ts';
import { deadSandboxes } from './dead-sandboxes.ts';
import type { PodStates } from './pod-states.ts';

/** Which dead containers are kept. They are needed for the logs and states of earlier runs. */
export interface ContainerGCPolicy {
  /** Younger ones are kept. */
  readonly minAgeMs: number;
  /** Dead containers of one name in a pod. Negative for no limit. */
  readonly maxPerPodContainer: number;
  /** Dead containers of all pods. Negative for no limit. */
  readonly maxContainers: number;
}

export interface ContainerGarbageCollectorOptions {
  readonly runtime: Pick<KubeRuntime, 'service' | 'stopContainer' | 'removeContainer' | 'removePodSandbox'>;
  readonly logs: Pick<ContainerLogManager, 'clean'>;
  readonly pods: PodStates;
  /** The directory of all logs. */
  readonly podLogsDirectory: string;
  /** The directory of the symlinks to logs. */
  readonly containerLogsDirectory: string;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recorder: EventRecorder;
  readonly policy?: Partial<ContainerGCPolicy>;
}

const periodMs = 60_000;
const timeoutMs = 120_000;

/**
 * Removes what is left of containers that have ended: containers, sandboxes, logs and the symlinks to them. Touches only what the labels
 * of a kubelet say belongs to a pod.
 */
export class ContainerGarbageCollector {
  readonly #options: ContainerGarbageCollectorOptions;
  readonly #policy: ContainerGCPolicy;

  /** Throws if the minimum age is negative. */
  constructor(options: ContainerGarbageCollectorOptions) {
    this.#options = options;
    this.#policy = { minAgeMs: 0, maxPerPodContainer: 1, maxContainers: -1, ...options.policy };
    const { minAgeMs } = this.#policy;
    if (minAgeMs < 0) throw new Error(`invalid minimum garbage collection age: ${minAgeMs} ms`);
  }

  /** Runs until the signal is aborted. Failures are told by events of the node. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger, recorder, nodeName } = this.#options;
    while (!signal.aborted) {
      try {
        await this.collect(signal);
        logger.v(4).info('Container garbage collection succeeded');
      } catch (error) {
        if (signal.aborted) return;
        logger.error('Container garbage collection failed', error);
        const node = { kind: 'Node', name: nodeName, uid: nodeName };
        recorder.event(node, 'Warning', 'ContainerGCFailed', messageOf(error));
      }
      await sleep(clock, periodMs, signal).catch(() => {});
    }
  }

  /**
   * Removes everything that the policy does not keep. With `includeTerminatedPods`, also everything of pods that have ended but still
   * exist. Does as much as it can, and then rejects if anything could not be listed.
   */
  async collect(signal: AbortSignal, includeTerminatedPods = false): Promise<void> {
    const { pods } = this.#options;
    const isGone = (uid: string): boolean =>
      pods.shouldPodContentBeRemoved(uid) || (includeTerminatedPods && pods.shouldPodRuntimeBeRemoved(uid));
    const errors: unknown[] = [];
    const steps = [
      () => this.#removeContainers(isGone, signal),
      () => this.#removeSandboxes(isGone, signal),
      () => this.#removeLogDirectories(),
      () => removeDanglingLogSymlinks(this.#options.containerLogsDirectory, this.#options.runtime.service, signal),
    ];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        signal.throwIfAborted();
        errors.push(error);
      }
    }
    const error = aggregateError(errors);
    if (error) throw error;
  }

  async #removeContainers(isGone: (podUid: string) => boolean, signal: AbortSignal): Promise<void> {
    const { runtime, clock } = this.#options;
    const { minAgeMs, maxPerPodContainer, maxContainers } = this.#policy;
    const { containers } = await runtime.service.listContainers({}, { signal, timeoutMs });
    const groups = new ContainerGroups(deadContainers(containers, clock.now() - minAgeMs));
    await this.#removeAll(groups.takePods(isGone), signal);
    if (maxPerPodContainer >= 0) await this.#removeAll(groups.takeOldestOfEach(maxPerPodContainer), signal);
    if (maxContainers >= 0) await this.#removeAll(groups.takeOldest(maxContainers), signal);
  }

  async #removeAll(containers: readonly DeadContainer[], signal: AbortSignal): Promise<void> {
    for (const container of containers) {
      try {
        await this.#removeContainer(container, signal);
      } catch (error) {
        signal.throwIfAborted();
        this.#options.logger.error('Failed to remove container', error, { containerID: container.id });
      }
    }
  }

  async #removeContainer(container: DeadContainer, signal: AbortSignal): Promise<void> {
    const { runtime, logs, containerLogsDirectory } = this.#options;
    // It may run.
    if (container.isUnknown) await runtime.stopContainer(container.id, container.gracePeriodSeconds, signal);
    await logs.clean(container.id, signal);
    await removeLogSymlink(containerLogsDirectory, container);
    await runtime.removeContainer(container.id, signal);
  }

  async #removeSandboxes(isGone: (podUid: string) => boolean, signal: AbortSignal): Promise<void> {
    const { runtime, logger } = this.#options;
    const { containers } = await runtime.service.listContainers({}, { signal, timeoutMs });
    const { items } = await runtime.service.listPodSandbox({}, { signal, timeoutMs });
    for (const id of deadSandboxes(items, containers, isGone)) {
      try {
        await runtime.removePodSandbox(id, signal);
      } catch (error) {
        signal.throwIfAborted();
        logger.error('Failed to remove sandbox', error, { sandboxID: id });
      }
    }
  }

  async #removeLogDirectories(): Promise<void> {
    const { podLogsDirectory, pods, logger } = this.#options;
    for (const name of await this.#logDirectories()) {
      if (!pods.shouldPodContentBeRemoved(podUidOfLogDirectory(name))) continue;
      const path = join(podLogsDirectory, name);
      try {
        await rm(path, { recursive: true, force: true });
      } catch (error) {
        logger.error('Failed to remove pod logs directory', error, { path });
      }
    }
  }

  async #logDirectories(): Promise<readonly string[]> {
    const { podLogsDirectory } = this.#options;
    try {
      return await readdir(podLogsDirectory);
    } catch (error) {
      throw new Error(`failed to read podLogsDirectory ${JSON.stringify(podLogsDirectory)}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}
