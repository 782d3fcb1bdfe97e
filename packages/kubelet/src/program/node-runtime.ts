import type { Random } from '@coxswain/apimachinery/random';
import type { Clock, Logger } from '@coxswain/client';
import { type ContainerRuntime, connectRuntime } from '@coxswain/cri';

/** A container runtime in use. */
export interface OpenRuntime extends Pick<ContainerRuntime, 'runtime' | 'images'> {
  /** Ends the use, not the containers. */
  close(): Promise<void>;
}

/** The container runtime of an embedded node: a daemon with a socket, or one in the same process. */
export interface NodeRuntime {
  /** Its name in messages and in the kubelet's configuration, such as `unix:///run/containerd/containerd.sock`. */
  readonly endpoint: string;
  /** Whether others use its images, too. Their containers are unknown to the kubelet, which therefore removes no images. */
  readonly isShared: boolean;
  /** Connects to the runtime, or starts it. */
  open(environment: { readonly clock: Clock; readonly random: Random; readonly logger: Logger }): Promise<OpenRuntime>;
  /** Removes what it has made on the machine besides pods. Absent for runtimes that are not the node's own. No pods may be left. */
  clear?(): Promise<void>;
}

/** A runtime with a socket, which others may use as well. */
export const runtimeAtSocket = (endpoint: string): NodeRuntime => ({
  endpoint,
  isShared: true,
  async open() {
    const { runtime, images, close } = await connectRuntime(endpoint);
    return { runtime, images, close: async () => close() };
  },
});
