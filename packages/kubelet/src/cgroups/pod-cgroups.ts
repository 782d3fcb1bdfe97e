import type { Pod } from '@coxswain/api/core/v1';

/** The cgroups of a node's pods. */
export interface PodCgroups {
  /** Makes the pod's cgroup, with the limits of its allocated resources. Returns what the runtime is told as the parent of its containers. */
  ensure(pod: Pod, signal: AbortSignal): Promise<string>;
  /** Changes the limits to those of the pod's allocated resources. */
  update(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Kills what still runs in the pod's cgroup and removes it. Has no effect if there is none. */
  remove(podUid: string, signal?: AbortSignal): Promise<void>;
}

/** For nodes with `cgroupsPerQOS: false`: the runtime puts containers where it does by itself. */
export const noPodCgroups: PodCgroups = {
  ensure: async () => '',
  update: async () => {},
  remove: async () => {},
};
