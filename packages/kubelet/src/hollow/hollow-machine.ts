import type { Container, Pod } from '@coxswain/api/core/v1';
import type { Clock } from '@coxswain/client';
import type { HookRunner } from '../hooks/hook-runner.ts';
import type { ContainerLogs } from '../logs/container-logs.ts';
import type { ContainerContext, Machine, MachineInfo } from '../machine/machine.ts';
import type { Prober } from '../probes/prober.ts';
import type { ContainerSetup } from '../runtime/container-setup.ts';
import type { PodSetup } from '../runtime/pod-setup.ts';
import type { ConfigSource } from '../volumes/config-source.ts';
import { checkSubPaths } from '../volumes/sub-paths.ts';
import { volumeProblems } from '../volumes/volume-problems.ts';
import { fateProblems } from './fate.ts';
import { HollowHooks } from './hollow-hooks.ts';
import { HollowProber } from './hollow-prober.ts';
import { roleAnnotation } from './hollow-role.ts';

export interface HollowMachineOptions {
  readonly nodeName: string;
  readonly clock: Clock;
  readonly config: ConfigSource;
  /** The logs of containers, which the hollow runtime has. */
  readonly logs: ContainerLogs;
  readonly bootId: string;
}

const setup: PodSetup = {
  cgroupParent: '',
  logDirectory: '',
  dns: undefined,
  clusterDomain: 'cluster.local',
  warnings: [],
};

/** The `Machine` of a hollow node, which changes nothing. Volumes count as mounted once all objects that they refer to exist. */
export class HollowMachine implements Machine {
  readonly prober: Prober;
  readonly hooks: HookRunner;
  readonly logs: ContainerLogs;
  readonly #options: HollowMachineOptions;

  constructor(options: HollowMachineOptions) {
    this.#options = options;
    this.prober = new HollowProber(options.clock);
    this.hooks = new HollowHooks(options.clock);
    this.logs = options.logs;
  }

  async info(): Promise<MachineInfo> {
    const { nodeName, bootId } = this.#options;
    const id = `hollow-${nodeName}`;
    return { machineId: id, systemUuid: id, bootId, kernelVersion: 'hollow', osImage: 'Hollow' };
  }

  async preparePod(): Promise<PodSetup> {
    return setup;
  }

  observe(): void {}

  async mountVolumes(pod: Pod): Promise<readonly string[]> {
    return await volumeProblems(pod, this.#options.config);
  }

  supplementalGroups(): readonly number[] {
    return [];
  }

  async prepareContainer(pod: Pod, container: Container, { env }: ContainerContext): Promise<ContainerSetup> {
    checkSubPaths(container, env);
    return { mounts: [], devices: [], annotations: roleAnnotation(pod, container) };
  }

  async containerStarted(): Promise<void> {}

  async removingContainer(): Promise<void> {}

  async resizePod(): Promise<void> {}

  async releasePod(): Promise<void> {}

  async podUids(): Promise<readonly string[]> {
    return [];
  }

  async removePod(): Promise<void> {}

  async terminationMessage(): Promise<undefined> {
    return undefined;
  }

  podWarnings(pod: Pod): readonly string[] {
    return fateProblems(pod);
  }
}
