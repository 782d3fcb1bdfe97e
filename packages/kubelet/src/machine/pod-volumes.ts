import type { Container, Pod } from '@coxswain/api/core/v1';
import type { Mount } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import type { ContainerContext } from './machine.ts';

/** The volumes of a node's pods. */
export interface PodVolumes {
  /** Mounts what is not mounted. Returns what is wrong with volumes that could not be mounted, as messages for people. */
  mount(pod: Pod, signal: AbortSignal): Promise<readonly string[]>;
  /** Returns a container's mounts. Rejects with the reason for which it cannot be created. */
  mountsOf(pod: Pod, container: Container, context: ContainerContext): Promise<readonly Init<Mount>[]>;
  /** Groups that own files of the pod's mounted volumes. */
  supplementalGroups(podUid: string): readonly number[];
  /** Unmounts all volumes of a pod whose containers have ended. */
  unmount(pod: Pod, signal: AbortSignal): Promise<void>;
  /** Unmounts and removes all that is left of a pod's volumes, whatever is known of the pod. */
  remove(podUid: string): Promise<void>;
}
