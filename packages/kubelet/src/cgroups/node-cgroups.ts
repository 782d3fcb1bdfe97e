import { podQOS, podRequests } from '@coxswain/api';
import type { Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type Clock, type Logger, sleep } from '@coxswain/client';
import { type CgroupManager, type CgroupName, type CgroupResources, newCgroupName } from '@coxswain/linux';
import { milliCpuToShares, minCpuShares } from '../runtime/cpu-shares.ts';
import type { RuntimeSettings } from '../runtime/runtime-settings.ts';
import { podCgroupResources } from './pod-cgroup-resources.ts';
import type { PodCgroups } from './pod-cgroups.ts';

export interface NodeCgroupsOptions {
  readonly cgroups: CgroupManager;
  /** Parent of everything: the root, unless several nodes share a machine. */
  readonly root: CgroupName;
  readonly settings: Pick<RuntimeSettings, 'cpuCFSQuota' | 'cpuCFSQuotaPeriodMicroseconds'>;
  /** How many processes a pod may have; -1 for no limit. */
  readonly podPidsLimit: number;
  /** What all pods together may use; undefined if that is not enforced. */
  readonly allocatable: { readonly milliCpu: number; readonly memoryBytes: number; readonly pids?: number } | undefined;
  /** Pods that run or are about to. */
  readonly activePods: () => readonly Pod[];
  readonly clock: Clock;
  readonly logger: Logger;
}

const updateEveryMs = 60_000;

/**
 * The cgroups of a node: one for all pods, in it one for burstable and one for best-effort pods, and in these three one for each pod. So the
 * kernel gives CPU to guaranteed pods before burstable ones, and to these before best-effort ones.
 */
export class NodeCgroups implements PodCgroups {
  readonly #options: NodeCgroupsOptions;
  readonly #guaranteed: CgroupName;
  readonly #burstable: CgroupName;
  readonly #bestEffort: CgroupName;
  #burstableShares = 0;

  constructor(options: NodeCgroupsOptions) {
    this.#options = options;
    this.#guaranteed = newCgroupName(options.root, 'kubepods');
    this.#burstable = newCgroupName(this.#guaranteed, 'burstable');
    this.#bestEffort = newCgroupName(this.#guaranteed, 'besteffort');
  }

  /** Makes the cgroups of the classes. Rejects if the machine does not let it. */
  async start(signal?: AbortSignal): Promise<void> {
    const { cgroups, root, allocatable } = this.#options;
    if (!(await cgroups.exists(root))) {
      throw new Error(`invalid configuration: cgroup-root ${cgroups.path(root)} doesn't exist`);
    }
    const ofNode: CgroupResources = allocatable
      ? {
          cpuShares: milliCpuToShares(allocatable.milliCpu),
          memory: allocatable.memoryBytes,
          ...(allocatable.pids !== undefined && { pids: allocatable.pids }),
        }
      : {};
    await cgroups.create(this.#guaranteed, ofNode, signal);
    await cgroups.create(this.#burstable, {}, signal);
    await cgroups.create(this.#bestEffort, { cpuShares: minCpuShares }, signal);
    await this.#updateShares();
  }

  /** Sets the shares of burstable pods right from time to time, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      await sleep(clock, updateEveryMs, signal).catch(() => {});
      if (signal.aborted) return;
      this.#burstableShares = 0;
      await this.#updateShares().catch((error: unknown) => {
        logger.error('Failed to update QoS cgroup configuration', error);
      });
    }
  }

  async ensure(pod: Pod, signal: AbortSignal): Promise<string> {
    const { cgroups } = this.#options;
    const name = this.#nameOf(pod);
    try {
      await this.#updateShares();
      if (!(await cgroups.exists(name))) await cgroups.create(name, this.#resourcesOf(pod), signal);
      return cgroups.path(name);
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`failed to create container for [${name.join(' ')}] : ${messageOf(error)}`, { cause: error });
    }
  }

  async update(pod: Pod, signal: AbortSignal): Promise<void> {
    await this.#updateShares();
    await this.#options.cgroups.update(this.#nameOf(pod), this.#resourcesOf(pod), signal);
  }

  async remove(podUid: string, signal?: AbortSignal): Promise<void> {
    const { cgroups } = this.#options;
    for (const parent of [this.#guaranteed, this.#burstable, this.#bestEffort]) {
      await cgroups.destroy(newCgroupName(parent, `pod${podUid}`), signal);
    }
    await this.#updateShares();
  }

  /** Path of the cgroup of all pods together. */
  get path(): string {
    return this.#options.cgroups.path(this.#guaranteed);
  }

  #resourcesOf(pod: Pod): CgroupResources {
    const { settings, podPidsLimit } = this.#options;
    return { ...podCgroupResources(pod, settings), ...(podPidsLimit > 0 && { pids: podPidsLimit }) };
  }

  #nameOf(pod: Pod): CgroupName {
    const parents = { Guaranteed: this.#guaranteed, Burstable: this.#burstable, BestEffort: this.#bestEffort };
    return newCgroupName(parents[podQOS(pod)], `pod${pod.metadata.uid}`);
  }

  /** Burstable pods together weigh what they request together. */
  async #updateShares(): Promise<void> {
    const { cgroups, activePods } = this.#options;
    let milliCpu = 0;
    for (const pod of activePods()) {
      if (podQOS(pod) === 'Burstable') milliCpu += podRequests(pod).get('cpu')?.milliValue() ?? 0;
    }
    const cpuShares = milliCpuToShares(milliCpu);
    if (cpuShares === this.#burstableShares) return;
    await cgroups.update(this.#burstable, { cpuShares });
    this.#burstableShares = cpuShares;
  }
}
