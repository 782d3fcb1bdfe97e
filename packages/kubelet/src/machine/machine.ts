import type { Container, Pod } from '@coxswain/api/core/v1';
import type { HookRunner } from '../hooks/hook-runner.ts';
import type { ImageVolumes } from '../images/image-volumes.ts';
import type { ContainerLogs } from '../logs/container-logs.ts';
import type { Prober } from '../probes/prober.ts';
import type { ContainerSetup } from '../runtime/container-setup.ts';
import type { PodSetup } from '../runtime/pod-setup.ts';

/**
 * What a kubelet does on its machine besides calling the container runtime. A hollow node has one that touches nothing
 * (`hollow/hollow-machine.ts`).
 *
 * Every method may be called again after a failure or a restart of the kubelet, and then completes what is missing.
 */
export interface Machine {
  readonly prober: Prober;
  readonly hooks: HookRunner;
  readonly logs: ContainerLogs;
  info(): Promise<MachineInfo>;
  /** Makes the pod's directories and cgroup. */
  preparePod(pod: Pod, signal: AbortSignal): Promise<PodSetup>;
  /** Called with each new state of a pod. Volumes follow changes of labels and annotations. */
  observe(pod: Pod): void;
  /** Mounts the pod's volumes. Returns what is wrong with those that could not be mounted, as messages for people; none if all are mounted. */
  mountVolumes(pod: Pod, signal: AbortSignal): Promise<readonly string[]>;
  /** Returns the groups that own files of a pod's mounted volumes, besides those that the pod names. */
  supplementalGroups(podUid: string): readonly number[];
  /** Makes what a container is given of the machine. Rejects with the reason for which the container cannot be created. */
  prepareContainer(pod: Pod, container: Container, context: ContainerContext): Promise<ContainerSetup>;
  /** Gives the pod as a whole the resources that are allocated to it now. */
  resizePod(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Unmounts the volumes of a pod whose containers have ended, and removes its cgroup. */
  releasePod(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Returns the uids of all pods of which anything is on disk. */
  podUids(): Promise<readonly string[]>;
  /** Removes what is left on disk of a pod that no longer exists. */
  removePod(podUid: string): Promise<void>;
  /** Reads the file that a container was given for its last words. Undefined if there is no such file. */
  terminationMessage(path: string): Promise<string | undefined>;
  /** Returns warnings about the pod for its events, such as annotations that make no sense. */
  podWarnings?(pod: Pod): readonly string[];
}

/** What a node's status says of its machine. */
export interface MachineInfo {
  readonly machineId: string;
  readonly systemUuid: string;
  /** Changes with every boot. */
  readonly bootId: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** Size of the swap; absent or 0 if there is none. */
  readonly swapBytes?: number;
}

export interface ContainerContext {
  readonly env: ReadonlyMap<string, string>;
  readonly podIPs: readonly string[];
  readonly restartCount: number;
  readonly imageVolumes: ImageVolumes;
}
