import type { Pod } from '@coxswain/api/core/v1';

/** The cgroups of a node's pods. */
export interface PodCgroups {
  /** Creates the pod's cgroup with the limits of its allocated resources. Returns its path, the parent cgroup of the pod's containers. */
  ensure(pod: Pod, signal: AbortSignal): Promise<string>;
  /** Changes the limits to those of the pod's allocated resources. */
  update(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Kills all processes in the pod's cgroup and removes it. Has no effect if there is none. */
  remove(podUid: string, signal?: AbortSignal): Promise<void>;
  /** Returns the uids of all pods that have a cgroup. */
  podUids(): Promise<readonly string[]>;
}

/** For nodes with `cgroupsPerQOS: false`: the runtime chooses the parent cgroup of containers. */
export const noPodCgroups: PodCgroups = {
  ensure: async () => '',
  update: async () => {},
  remove: async () => {},
  podUids: async () => [],
};
