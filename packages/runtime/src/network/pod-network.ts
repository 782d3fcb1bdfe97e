/** A port of the node that leads to a pod. */
export interface PortMapping {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly containerPort: number;
  readonly hostPort: number;
  /** All addresses of the node if empty. */
  readonly hostIP: string;
}

/** The resolver settings of a pod. */
export interface DNSSettings {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** A sandbox with a network namespace of its own. */
export interface NetworkedPod {
  /** The id of the sandbox. */
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** The path of the pinned network namespace. It may be gone when a pod is torn down after a reboot. */
  readonly netns: string;
  readonly portMappings: readonly PortMapping[];
  readonly annotations: Readonly<Record<string, string>>;
  /** For plug-ins that serve names to pods. */
  readonly dns?: DNSSettings | undefined;
  /** The cgroup of the pod, for plug-ins that use it. */
  readonly cgroupParent?: string | undefined;
}

/** The addresses of a pod; the first is the primary one. */
export interface PodAddresses {
  readonly ips: readonly string[];
}

/** Connects sandboxes to the network of the node. */
export interface PodNetwork {
  /** Undefined if pods can be connected, else why not, for the runtime's condition NetworkReady. */
  problem(): Promise<string | undefined>;
  /** Connects a pod. What a failed or interrupted call has made is taken away by `tearDown`, also after a restart of this process. */
  setUp(pod: NetworkedPod, signal?: AbortSignal): Promise<PodAddresses>;
  /** Disconnects a pod and releases its addresses and ports. Succeeds if it is not connected. */
  tearDown(pod: NetworkedPod): Promise<void>;
  /** Releases what belongs to none of these sandboxes: addresses, ports, interfaces. */
  collectGarbage(ids: ReadonlySet<string>): Promise<void>;
  /** The range of the addresses of pods changed (CRI's UpdateRuntimeConfig). */
  setPodCIDR?(podCIDR: string): Promise<void>;
}
