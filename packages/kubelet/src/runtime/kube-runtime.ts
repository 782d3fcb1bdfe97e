import type { Container, Pod } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { Clock } from '@coxswain/client';
import type {
  ContainerConfig,
  ContainerRuntime,
  ContainerStatus,
  Image,
  ImageService,
  PodSandboxConfig,
  RuntimeService,
  StatusResponse,
} from '@coxswain/cri';
import { type CallOptions, hasRpcCode } from '@coxswain/grpc';
import type { Init } from '@coxswain/grpc/protobuf';
import { podUidLabel } from './labels.ts';
import { containerLinuxResources } from './linux-resources.ts';
import { podOf, readContainer, readSandbox } from './read-pod.ts';
import type { RuntimeContainer, RuntimePod, RuntimeSandbox } from './runtime-pod.ts';
import type { RuntimeSettings } from './runtime-settings.ts';
import { type TerminationMessageSource, terminationMessage } from './termination-message.ts';

export interface KubeRuntimeOptions {
  readonly cri: ContainerRuntime;
  readonly machine: TerminationMessageSource;
  /** Called before a container is removed. */
  readonly onRemoving?: (containerId: string) => Promise<void>;
  readonly settings: RuntimeSettings;
  readonly clock: Clock;
}

/** What the runtime's lists contain about a pod, without a request for each container. */
export interface ListedPod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly sandboxes: readonly { readonly id: string; readonly isReady: boolean }[];
  readonly containers: readonly {
    readonly id: string;
    readonly name: string;
    readonly image: string;
    readonly state: RuntimeContainer['state'];
  }[];
}

export interface RuntimeHealth {
  /** Why the runtime is not ready. Undefined if it is ready. */
  readonly runtimeProblem: string | undefined;
  /** Why the runtime's network is not ready. Undefined if it is ready. */
  readonly networkProblem: string | undefined;
  readonly features: StatusResponse['features'];
  readonly runtimeHandlers: StatusResponse['runtimeHandlers'];
}

/** How long the runtime's answer about its health is cached. */
const healthValidMs = 5000;
/** The timeout of calls to the runtime that should return at once. */
const requestTimeoutMs = 120_000;

/**
 * The container runtime in terms of pods instead of sandboxes and containers. All state comes from the runtime, so a restarted kubelet
 * sees the same. The exceptions are memory requests, which the runtime does not know, and a cache of termination messages.
 *
 * Callers use `service` and `images` directly for calls that have no method here.
 */
export class KubeRuntime {
  readonly service: RuntimeService;
  readonly images: ImageService;
  readonly #options: KubeRuntimeOptions;
  #name = '';
  #version = '';
  #health: { readonly health: RuntimeHealth; readonly untilMs: number } | undefined;
  /** Memory requests by container id. No cgroup has them, so the runtime does not know them. */
  readonly #memoryRequests = new Map<string, number>();
  /** Termination messages by id of the container. They never change, and reading one may involve reading a log. */
  readonly #messages = new Map<string, string>();

  constructor(options: KubeRuntimeOptions) {
    this.#options = options;
    this.service = options.cri.runtime;
    this.images = options.cri.images;
  }

  /** The runtime's name, which container ids in statuses begin with: `containerd` in `containerd://4711`. Empty before `connect`. */
  get name(): string {
    return this.#name;
  }

  /** The runtime's name and version in the format of a node's status: `containerd://2.1.5`. */
  get version(): string {
    return `${this.#name}://${this.#version}`;
  }

  /** Reads the runtime's name and version. Rejects if the runtime does not answer. */
  async connect(signal: AbortSignal): Promise<void> {
    const { runtimeName, runtimeVersion } = await this.service.version({}, this.#within(signal));
    this.#name = runtimeName;
    this.#version = runtimeVersion;
  }

  /** Returns the runtime's health, at most 5 seconds old. Rejects if the runtime does not answer. */
  async health({ signal, timeoutMs = requestTimeoutMs }: CallOptions = {}): Promise<RuntimeHealth> {
    const { clock } = this.#options;
    if (this.#health && clock.now() < this.#health.untilMs) return this.#health.health;
    const answer = await this.service.status({}, { signal, timeoutMs });
    const problemOf = (type: string): string | undefined => {
      const condition = answer.status?.conditions.find((each) => each.type === type);
      if (condition?.status) return undefined;
      if (!condition) return `${type} condition is not set`;
      return `${type}=false reason:${condition.reason} message:${condition.message}`;
    };
    const { features, runtimeHandlers } = answer;
    const [runtimeProblem, networkProblem] = [problemOf('RuntimeReady'), problemOf('NetworkReady')];
    const health = { runtimeProblem, networkProblem, features, runtimeHandlers };
    this.#health = { health, untilMs: clock.now() + healthValidMs };
    return health;
  }

  /** If the last `health` had a problem of the network, the next one asks the runtime again. Returns whether that is so. */
  forgetNetworkProblem(): boolean {
    if (this.#health?.health.networkProblem === undefined) return false;
    this.#health = undefined;
    return true;
  }

  /** Returns the pod's sandboxes and containers. Both lists are empty if the runtime does not know the pod. */
  async podStatus(podUid: string, signal?: AbortSignal): Promise<RuntimePod> {
    const filter = { labelSelector: { [podUidLabel]: podUid } };
    const within = this.#within(signal);
    const [{ items }, { containers: listed }] = await Promise.all([
      this.service.listPodSandbox({ filter }, within),
      this.service.listContainers({ filter }, within),
    ]);
    const [first] = items;
    const [sandboxes, containers] = await Promise.all([
      Promise.all(items.toSorted(latestFirst).map(({ id }) => this.#sandboxStatus(id, signal))),
      Promise.all(
        listed.toSorted(latestFirst).map(({ id, podSandboxId }) => this.#containerStatus(id, podSandboxId, signal)),
      ),
    ]);
    return {
      ...podOf(first?.labels ?? {}),
      uid: podUid,
      sandboxes: sandboxes.filter((sandbox) => sandbox !== undefined),
      containers: containers.filter((container) => container !== undefined),
    };
  }

  /** Lists all pods that have a sandbox or container in the runtime. */
  async listPods(signal?: AbortSignal): Promise<ListedPod[]> {
    const within = this.#within(signal);
    const [{ items }, { containers }] = await Promise.all([
      this.service.listPodSandbox({}, within),
      this.service.listContainers({}, within),
    ]);
    const pods = new Map<string, { -readonly [K in keyof ListedPod]: ListedPod[K] }>();
    const podWith = (labels: Readonly<Record<string, string>>) => {
      const identity = podOf(labels);
      const known = pods.get(identity.uid) ?? { ...identity, sandboxes: [], containers: [] };
      pods.set(identity.uid, known);
      return known;
    };
    for (const { id, state, labels } of items.toSorted(latestFirst)) {
      if (labels[podUidLabel] === undefined) continue;
      const pod = podWith(labels);
      pod.sandboxes = [...pod.sandboxes, { id, isReady: state === 'SANDBOX_READY' }];
    }
    for (const { id, state, labels, metadata, image } of containers.toSorted(latestFirst)) {
      if (labels[podUidLabel] === undefined) continue;
      const pod = podWith(labels);
      const container = {
        id,
        name: metadata?.name ?? '',
        image: image?.image ?? '',
        state: listedStates[state],
      };
      pod.containers = [...pod.containers, container];
    }
    return [...pods.values()];
  }

  async runPodSandbox(
    config: Init<PodSandboxConfig>,
    runtimeHandler: string,
    signal?: AbortSignal,
  ): Promise<RuntimeSandbox> {
    // Setting up a network may take long.
    const options = { signal, timeoutMs: 2 * requestTimeoutMs };
    const { podSandboxId } = await this.service.runPodSandbox({ config, runtimeHandler }, options);
    const sandbox = await this.#sandboxStatus(podSandboxId, signal);
    if (!sandbox) throw new Error(`sandbox ${podSandboxId} was removed right after it was created`);
    return sandbox;
  }

  /** Stops the containers of a sandbox and releases its IP addresses. Has no effect if the sandbox is stopped or gone. */
  async stopPodSandbox(podSandboxId: string, signal?: AbortSignal): Promise<void> {
    await unlessGone(this.service.stopPodSandbox({ podSandboxId }, this.#within(signal)));
  }

  /** Stops and removes a sandbox and all its containers. Has no effect if the sandbox is gone. */
  async removePodSandbox(podSandboxId: string, signal?: AbortSignal): Promise<void> {
    await this.stopPodSandbox(podSandboxId, signal);
    await unlessGone(this.service.removePodSandbox({ podSandboxId }, this.#within(signal)));
  }

  /** Returns the id of the new container. */
  async createContainer(
    podSandboxId: string,
    { pod, container }: { readonly pod: Pod; readonly container: Container },
    config: Init<ContainerConfig>,
    sandboxConfig: Init<PodSandboxConfig>,
    signal?: AbortSignal,
  ): Promise<string> {
    const linux = { ...config.linux, resources: containerLinuxResources(pod, container, this.#options.settings) };
    const request = { podSandboxId, config: { ...config, linux }, sandboxConfig };
    const { containerId } = await this.service.createContainer(request, this.#within(signal));
    this.#memoryRequests.set(containerId, memoryRequestOf(container));
    return containerId;
  }

  async startContainer(containerId: string, signal?: AbortSignal): Promise<void> {
    await this.service.startContainer({ containerId }, this.#within(signal));
  }

  /**
   * Sends a container its stop signal, and SIGKILL after the grace period. Resolves when the container has ended. A second call with a
   * shorter grace period shortens the first. Has no effect if the container has ended or is gone.
   */
  async stopContainer(containerId: string, gracePeriodSeconds: number, signal?: AbortSignal): Promise<void> {
    const timeoutMs = requestTimeoutMs + gracePeriodSeconds * 1000;
    await unlessGone(this.service.stopContainer({ containerId, timeout: gracePeriodSeconds }, { signal, timeoutMs }));
  }

  async removeContainer(containerId: string, signal?: AbortSignal): Promise<void> {
    await this.#options.onRemoving?.(containerId);
    await unlessGone(this.service.removeContainer({ containerId }, this.#within(signal)));
    this.#forgetContainer(containerId);
  }

  /** Changes the limits of a running container. */
  async updateContainerResources(
    pod: Pod,
    container: Container,
    containerId: string,
    signal?: AbortSignal,
  ): Promise<void> {
    const linux = containerLinuxResources(pod, container, this.#options.settings);
    await this.service.updateContainerResources({ containerId, linux }, this.#within(signal));
    this.#memoryRequests.set(containerId, memoryRequestOf(container));
  }

  /** Returns the image. Undefined if the node does not have it. */
  async image(image: string, runtimeHandler = '', signal?: AbortSignal): Promise<Image | undefined> {
    const answer = await this.images.imageStatus({ image: { image, runtimeHandler } }, this.#within(signal));
    return answer.image;
  }

  /** Drops the memory requests and termination messages of all containers except the given ones. */
  forgetAllBut(containerIds: ReadonlySet<string>): void {
    for (const id of [...this.#memoryRequests.keys(), ...this.#messages.keys()]) {
      if (!containerIds.has(id)) this.#forgetContainer(id);
    }
  }

  #forgetContainer(containerId: string): void {
    this.#memoryRequests.delete(containerId);
    this.#messages.delete(containerId);
  }

  async #sandboxStatus(podSandboxId: string, signal: AbortSignal | undefined): Promise<RuntimeSandbox | undefined> {
    const call = this.service.podSandboxStatus({ podSandboxId }, this.#within(signal));
    const status = (await unlessGone(call))?.status;
    return status && readSandbox(status);
  }

  async #containerStatus(
    containerId: string,
    podSandboxId: string,
    signal: AbortSignal | undefined,
  ): Promise<RuntimeContainer | undefined> {
    const call = this.service.containerStatus({ containerId }, this.#within(signal));
    const status = (await unlessGone(call))?.status;
    if (!status) return undefined;
    const message = status.state === 'CONTAINER_EXITED' ? await this.#messageOf(status) : status.message;
    return readContainer(status, podSandboxId, message, this.#memoryRequests.get(containerId));
  }

  async #messageOf(status: ContainerStatus): Promise<string> {
    const known = this.#messages.get(status.id);
    if (known !== undefined) return known;
    const message = await terminationMessage(status, this.#options.machine);
    this.#messages.set(status.id, message);
    return message;
  }

  #within(signal: AbortSignal | undefined) {
    return { signal, timeoutMs: requestTimeoutMs };
  }
}

const listedStates = {
  CONTAINER_CREATED: 'Created',
  CONTAINER_RUNNING: 'Running',
  CONTAINER_EXITED: 'Exited',
  CONTAINER_UNKNOWN: 'Unknown',
} as const;

interface Listed {
  readonly createdAt: bigint;
  readonly metadata?: { readonly attempt: number };
}

/** Orders by creation time, latest first. Equal times are ordered by the number of attempts. */
function latestFirst(a: Listed, b: Listed): number {
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt ? -1 : 1;
  return (b.metadata?.attempt ?? 0) - (a.metadata?.attempt ?? 0);
}

const memoryRequestOf = ({ resources }: Container): number =>
  Quantity.parse(resources?.requests?.memory ?? '0').value();

/** Resolves with undefined if the call fails with the code NotFound. */
async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (hasRpcCode(error, 'NotFound')) return undefined;
    throw error;
  }
}
