import type { Container, Pod } from '@coxswain/api/core/v1';
import type { HookRunner } from '../hooks/hook-runner.ts';
import type { ImageVolumes } from '../images/image-volumes.ts';
import type { MachineImages } from '../images/machine-images.ts';
import type { ContainerLogs } from '../logs/container-logs.ts';
import type { Prober } from '../probes/prober.ts';
import type { ContainerSetup } from '../runtime/container-setup.ts';
import type { PodSetup } from '../runtime/pod-setup.ts';
import type { NodeStatsSources } from '../stats/node-stats-sources.ts';

/**
 * Access to the machine, besides the container runtime: directories, volumes, cgroups, hooks, probes and logs. A hollow node has an
 * implementation that changes nothing (`hollow/hollow-machine.ts`).
 *
 * Every method may be called again after a failure or a restart of the kubelet, and then completes what is missing.
 */
export interface Machine {
  readonly prober: Prober;
  readonly hooks: HookRunner;
  readonly logs: ContainerLogs;
  /** Credentials and records of image pulls. If absent, images are pulled anonymously and every pod may use every image. */
  readonly images?: MachineImages;
  /** Statistics of the machine. If absent, the statistics of the node are the sums of those of its pods. */
  readonly stats?: NodeStatsSources;
  info(): Promise<MachineInfo>;
  /** Creates the pod's directories and cgroup. */
  preparePod(pod: Pod, signal: AbortSignal): Promise<PodSetup>;
  /** Called with each new state of a pod, so that its volumes can follow changes of its labels and annotations. */
  observe(pod: Pod): void;
  /** Mounts the pod's volumes. Returns a message for users for each volume that could not be mounted. */
  mountVolumes(pod: Pod, signal: AbortSignal): Promise<readonly string[]>;
  /** Returns the groups that own files of the pod's mounted volumes, besides those in the pod's security context. */
  supplementalGroups(podUid: string): readonly number[];
  /** Prepares the container's mounts and devices. Rejects with an error that says why the container cannot be created. */
  prepareContainer(pod: Pod, container: Container, context: ContainerContext): Promise<ContainerSetup>;
  /** Called when a container has started. */
  containerStarted(pod: Pod, container: Container, containerId: string): Promise<void>;
  /** Called before an exited container is removed. Removes its logs. */
  removingContainer(containerId: string): Promise<void>;
  /** Sets the limits of the pod's cgroup to the resources that are allocated to the pod now. */
  resizePod(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Unmounts the volumes of a pod whose containers have ended, and removes its cgroup. */
  releasePod(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Returns the uids of all pods that have a directory or a cgroup. */
  podUids(): Promise<readonly string[]>;
  /** Removes the cgroup, the files and the logs of a pod that no longer exists. */
  removePod(podUid: string): Promise<void>;
  /** Reads the termination message that a container has written. Returns undefined if there is no such file. */
  terminationMessage(path: string): Promise<string | undefined>;
  /** Returns the restart count of the next run according to the container's logs, for a container that the runtime no longer has. */
  restartCountOf?(pod: Pod, container: string): Promise<number>;
  /** Reads a file in a mounted volume of a pod. Rejects if the file does not exist or is too large. */
  readVolumeFile?(pod: Pod, volume: string, path: string): Promise<string>;
  /** Throws if the pod requires a user namespace that the machine cannot provide. */
  checkUserNamespace?(pod: Pod, runtimeHandler: string): void;
  /** Returns messages for events of type Warning of the pod, for example about invalid annotations. */
  podWarnings?(pod: Pod): readonly string[];
}

/** The part of a node's status that describes its machine. */
export interface MachineInfo {
  readonly machineId: string;
  readonly systemUuid: string;
  /** Changes with every boot. */
  readonly bootId: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** Size of the swap space. Absent or 0 if there is none. */
  readonly swapBytes?: number;
}

/** What `prepareContainer` needs to know of a container beyond its spec. */
export interface ContainerContext {
  readonly env: ReadonlyMap<string, string>;
  readonly podIPs: readonly string[];
  readonly restartCount: number;
  readonly imageVolumes: ImageVolumes;
}
