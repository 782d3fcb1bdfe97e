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
  /** The parent of the cgroup `kubepods` (`--cgroup-root`). */
  readonly root: CgroupName;
  readonly settings: Pick<RuntimeSettings, 'cpuCFSQuota' | 'cpuCFSQuotaPeriodMicroseconds'>;
  /** The most processes of a pod. -1 means no limit. */
  readonly podPidsLimit: number;
  /** The limits of all pods together. Undefined if they are not enforced. */
  readonly allocatable: { readonly milliCpu: number; readonly memoryBytes: number; readonly pids?: number } | undefined;
  /** Returns the pods that run or are about to run. */
  readonly activePods: () => readonly Pod[];
  readonly clock: Clock;
  readonly logger: Logger;
}

const updateEveryMs = 60_000;

/**
 * The cgroups of a node: `kubepods` for all pods, and in it `burstable` and `besteffort` for the pods of these QoS classes. Cgroups of
 * guaranteed pods are directly in `kubepods`, all others in that of their class. So the CPU shares of best-effort pods cannot take away
 * what guaranteed and burstable pods have requested.
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

  /** Creates the cgroups of the QoS classes. Rejects if `root` does not exist or a cgroup cannot be created. */
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

  /** Sets the CPU shares of `burstable` again every minute until the signal is aborted, in case another process has changed them. */
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

  async podUids(): Promise<readonly string[]> {
    const { cgroups } = this.#options;
    const parents = [this.#guaranteed, this.#burstable, this.#bestEffort];
    const children = await Promise.all(parents.map((parent) => cgroups.children(parent)));
    return children.flat().flatMap((name) => /^pod(.+)$/.exec(name.at(-1) ?? '')?.[1] ?? []);
  }

  /** The path of the cgroup `kubepods`. */
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

  /** Sets the CPU shares of `burstable` to the sum of the CPU requests of its pods. */
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
