import type { Container, Lifecycle, Pod, ResourceRequirements } from '@coxswain/api/core/v1';

/** What runs containers, in the words of the CRI but smaller. Everything that is the same for all of them is not here. */
export interface ContainerRuntime {
  /** Before a container's id in statuses: `containerd` of `containerd://…`. */
  readonly name: string;
  version(): Promise<RuntimeVersion>;
  /** What keeps it from running pods. */
  status(): Promise<RuntimeStatus>;

  /** Makes a place for the pod's containers, with its network. Rejects when it cannot. */
  runPodSandbox(pod: Pod, options: SandboxOptions): Promise<RuntimeSandbox>;
  /** Ends what still runs in it and gives its addresses back. Harmless when it was stopped or is gone. */
  stopPodSandbox(id: string): Promise<void>;
  /** Takes it away with all its containers. Harmless when it is gone. */
  removePodSandbox(id: string): Promise<void>;

  /** What the node has the image as; undefined when it must be pulled. */
  imageRef(image: string): Promise<string | undefined>;
  /** Rejects with what the registry says. */
  pullImage(image: string, pull: ImagePull): Promise<PulledImage>;
  images(): Promise<readonly RuntimeImage[]>;

  /** Answers the id. */
  createContainer(sandboxId: string, config: ContainerConfig): Promise<string>;
  startContainer(id: string): Promise<void>;
  /**
   * Asks it to end, and kills it after the grace period; resolves when it has ended. When it is asked again meanwhile, the
   * shorter time counts. Harmless when it has ended or is gone.
   */
  stopContainer(id: string, gracePeriodSeconds: number): Promise<void>;
  removeContainer(id: string): Promise<void>;
  /** The container's cgroup, from now on. */
  updateContainerResources(id: string, resources: ResourceRequirements): Promise<void>;

  /** Nothing at all when the runtime does not know the pod. */
  podStatus(podUid: string): Promise<RuntimePod>;
  /** All that it knows, ended ones included. */
  pods(): Promise<readonly RuntimePod[]>;
  /** Tells of everything that happens to containers, as soon as it does. Answers how to listen no more. */
  onEvent(listener: (event: RuntimeEvent) => void): () => void;

  /** Runs a command to its end. */
  execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult>;
  /** Runs a postStart or preStop hook to its end. Rejects when it fails. */
  runHook(id: string, hook: Hook): Promise<void>;
  logs(id: string, options: LogOptions): AsyncIterable<Uint8Array>;
  /** A session with a container, for `kubectl exec` and `attach`. Rejects with what the person is told. */
  exec(id: string, session: ExecSession): Promise<ExecResult>;
  /** What its processes use. */
  podStats(podUid: string): Promise<RuntimePodStats | undefined>;

  /** What it cannot make sense of in a pod; people are told. */
  podWarnings?(pod: Pod): readonly string[];
  /** The addresses that pods may have, as soon as the node knows. */
  setPodCIDRs?(podCIDRs: readonly string[]): void;
}

export interface RuntimeVersion {
  /** Of nodeInfo: `containerd://2.1.0`. */
  readonly runtimeVersion: string;
  /** Another one after each reboot. */
  readonly bootId: string;
  readonly kernelVersion: string;
  readonly osImage: string;
}

export interface RuntimeStatus {
  readonly runtimeProblem?: string;
  readonly networkProblem?: string;
}

export interface SandboxOptions {
  /** How many sandboxes the pod had before. */
  readonly attempt: number;
}

export interface RuntimeSandbox {
  readonly id: string;
  readonly attempt: number;
  readonly isReady: boolean;
  /** None for pods in the node's network. */
  readonly ips: readonly string[];
}

export interface ImagePull {
  readonly pod: Pod;
  /** Whose image it is; none for one that is a volume. */
  readonly container?: Container;
}

export interface PulledImage {
  readonly imageRef: string;
  readonly sizeBytes: number;
}

export interface RuntimeImage {
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

export interface ContainerConfig {
  readonly pod: Pod;
  readonly container: Container;
  readonly imageRef: string;
  readonly restartCount: number;
  readonly env: ReadonlyMap<string, string>;
  /** The container's own, with the values of its variables in them. */
  readonly command: readonly string[];
  readonly args: readonly string[];
}

export type RuntimeContainerState = 'Created' | 'Running' | 'Exited';

export interface RuntimeContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly name: string;
  readonly restartCount: number;
  readonly image: string;
  readonly imageRef: string;
  readonly state: RuntimeContainerState;
  readonly createdAtMs: number;
  readonly startedAtMs: number;
  /** 0 while it has not ended. */
  readonly finishedAtMs: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  /** What its cgroup allows; undefined when the runtime does not say. */
  readonly resources: ResourceRequirements | undefined;
}

/** Latest first, both. */
export interface RuntimePod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly sandboxes: readonly RuntimeSandbox[];
  readonly containers: readonly RuntimeContainer[];
}

export interface RuntimeEvent {
  readonly podUid: string;
  readonly type: 'ContainerStarted' | 'ContainerDied' | 'ContainerRemoved' | 'SandboxChanged';
}

export interface ExecResult {
  readonly exitCode: number;
  readonly output: string;
}

export interface Hook {
  readonly kind: 'PostStart' | 'PreStop';
  readonly handler: NonNullable<Lifecycle['postStart']>;
  readonly pod: Pod;
  readonly container: Container;
}

export interface LogOptions {
  readonly follow?: boolean;
  readonly tailLines?: number;
  readonly sinceMs?: number;
  readonly timestamps?: boolean;
  readonly limitBytes?: number;
  readonly signal?: AbortSignal;
}

export interface ExecSession {
  readonly command: readonly string[];
  readonly tty: boolean;
}

export interface RuntimePodStats {
  readonly containers: readonly ContainerStats[];
}

export interface ContainerStats {
  readonly name: string;
  readonly startedAtMs: number;
  readonly cpuNanoCores: number;
  /** Since it was started. */
  readonly cpuCoreNanoSeconds: number;
  readonly memoryBytes: number;
}

/** The latest of that name. */
export const latestContainer = (pod: RuntimePod, name: string): RuntimeContainer | undefined =>
  pod.containers.find((container) => container.name === name);
