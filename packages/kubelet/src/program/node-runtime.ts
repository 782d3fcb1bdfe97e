import { type ContainerRuntime, connectRuntime } from '@coxswain/cri';

/** The container runtime of an embedded node: a daemon with a socket, or one in the same process. */
export interface NodeRuntime {
  /** Its name in messages and in the kubelet's configuration, such as `unix:///run/containerd/containerd.sock`. */
  readonly endpoint: string;
  /** Whether others use its images, too. Their containers are unknown to the kubelet, which therefore removes no images. */
  readonly isShared: boolean;
  /** Connects to the runtime, or starts it. `close` of the result ends that; containers keep running. */
  connect(): Promise<ContainerRuntime>;
}

/** A runtime with a socket, which others may use as well. */
export const runtimeAtSocket = (endpoint: string): NodeRuntime => ({
  endpoint,
  isShared: true,
  connect: () => connectRuntime(endpoint),
});
