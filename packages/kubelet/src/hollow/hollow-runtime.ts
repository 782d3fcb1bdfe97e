import { createHash } from 'node:crypto';
import { systemRandom } from '@coxswain/apimachinery/random';
import { type Clock, sleep, systemClock } from '@coxswain/client';
import {
  type ContainerEventResponse,
  type ContainerEventType,
  type ContainerRuntime,
  type ContainerStats,
  type CreateContainerRequest,
  type ImageServiceHandlers,
  type ImageSpec,
  type ImageStatusResponse,
  type ListContainerStatsRequest,
  type ListContainersRequest,
  type ListPodSandboxRequest,
  type PodSandboxConfig,
  type PodSandboxStatus,
  type PullImageRequest,
  type RunPodSandboxRequest,
  type RuntimeServiceHandlers,
  runtimeInProcess,
  type UpdateContainerResourcesRequest,
  type UpdateRuntimeConfigRequest,
} from '@coxswain/cri';
import { RpcError, type ServeOptions } from '@coxswain/grpc';
import type { Init } from '@coxswain/grpc/protobuf';
import type { ContainerLogs, LoggedContainer, LogOptions } from '../logs/container-logs.ts';
import { containerNameLabel } from '../runtime/labels.ts';
import { ContainerEvents } from './container-events.ts';
import { fateOf } from './fate.ts';
import { HollowContainer } from './hollow-container.ts';
import { hollowLogs } from './hollow-logs.ts';
import { HollowPods, type HollowSandbox } from './hollow-pods.ts';
import { IpPool } from './ip-pool.ts';

export interface HollowRuntimeOptions {
  readonly clock?: Clock;
  /** The ranges of pods' IP addresses until `updateRuntimeConfig` sets those of the Node object. */
  readonly podCIDRs?: readonly string[];
  /** Containers of Jobs succeed after this time, unless annotations or the command determine something else. 1 second by default. */
  readonly jobRunForMs?: number;
  /** How long containers keep running after the stop signal, unless an annotation sets that. 0 by default. */
  readonly stopDelayMs?: number;
  /** A part of the ids of sandboxes and containers, which makes them different in each run. A random UUID by default. */
  readonly bootId?: string;
}

const imageSizeBytes = 1_000_000;

/**
 * A container runtime (CRI) that runs nothing: containers are records whose states change by the clock. Their behaviour is scripted by
 * annotations of their pods (`fate.ts`) or predicted from their commands (`command-outcome.ts`). Otherwise they run until they are
 * stopped, except for init containers, which succeed at once, and the containers of Jobs, which succeed after a short time.
 */
export class HollowRuntime implements RuntimeServiceHandlers, ImageServiceHandlers, ContainerLogs {
  readonly #clock: Clock;
  readonly #jobRunForMs: number;
  readonly #stopDelayMs: number;
  readonly #bootId: string;
  readonly #pods = new HollowPods();
  readonly #events = new ContainerEvents();
  /** The references of pulled images, by image name: one for each image that pods of this node have used. */
  readonly #images = new Map<string, string>();
  #pools: IpPool[];

  constructor(options: HollowRuntimeOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#jobRunForMs = options.jobRunForMs ?? 1000;
    this.#stopDelayMs = options.stopDelayMs ?? 0;
    this.#bootId = options.bootId ?? systemRandom.uuid();
    this.#pools = (options.podCIDRs ?? ['10.88.0.0/16']).map((cidr) => new IpPool(cidr));
  }

  /** The runtime's services as a kubelet calls them. */
  get services(): ContainerRuntime {
    return runtimeInProcess(this, this, this.#clock);
  }

  async version() {
    return { version: '0.1.0', runtimeName: 'hollow', runtimeVersion: '1.0.0', runtimeApiVersion: 'v1' };
  }

  async status() {
    const conditions = ['RuntimeReady', 'NetworkReady'].map((type) => ({ type, status: true }));
    return { status: { conditions }, features: { supplementalGroupsPolicy: true } };
  }

  async updateRuntimeConfig({ runtimeConfig }: UpdateRuntimeConfigRequest) {
    const podCIDRs = (runtimeConfig?.networkConfig?.podCidr ?? '').split(',').filter((cidr) => cidr !== '');
    if (podCIDRs.length > 0 && podCIDRs.some((cidr, i) => this.#pools[i]?.cidr !== cidr)) {
      this.#pools = podCIDRs.map((cidr) => new IpPool(cidr));
    }
    return {};
  }

  async runPodSandbox({ config }: RunPodSandboxRequest) {
    if (!config?.metadata) throw new RpcError('InvalidArgument', 'metadata of the pod sandbox is not given');
    const isInNodeNetwork = config.linux?.securityContext?.namespaceOptions?.network === 'NODE';
    const sandbox: HollowSandbox = {
      id: this.#id(config.metadata.uid, 'sandbox', config.metadata.attempt),
      metadata: config.metadata,
      labels: config.labels,
      annotations: config.annotations,
      createdAt: BigInt(Math.round(this.#clock.now())) * 1_000_000n,
      network: isInNodeNetwork ? 'NODE' : 'POD',
      ips: isInNodeNetwork ? [] : this.#pools.map((pool) => pool.allocate()),
      isReady: true,
      containers: [],
    };
    this.#pods.addSandbox(sandbox);
    return { podSandboxId: sandbox.id };
  }

  async stopPodSandbox({ podSandboxId }: { readonly podSandboxId: string }) {
    const sandbox = this.#pods.sandbox(podSandboxId);
    if (!sandbox?.isReady) return {};
    sandbox.isReady = false;
    for (const container of sandbox.containers) container.kill();
    for (const ip of sandbox.ips) for (const pool of this.#pools) pool.release(ip);
    this.#tell(sandbox, sandbox.id, 'CONTAINER_STOPPED_EVENT');
    return {};
  }

  async removePodSandbox({ podSandboxId }: { readonly podSandboxId: string }) {
    await this.stopPodSandbox({ podSandboxId });
    for (const container of this.#pods.sandbox(podSandboxId)?.containers ?? []) container.forget();
    this.#pods.removeSandbox(podSandboxId);
    return {};
  }

  async podSandboxStatus({ podSandboxId }: { readonly podSandboxId: string }) {
    const sandbox = this.#pods.sandbox(podSandboxId);
    if (!sandbox) throw new RpcError('NotFound', `sandbox ${podSandboxId} not found`);
    return { status: sandboxStatus(sandbox) };
  }

  async listPodSandbox({ filter }: ListPodSandboxRequest) {
    const { id = '', state, labelSelector = {} } = filter ?? {};
    const items = this.#pods
      .sandboxes(labelSelector)
      .map(sandboxStatus)
      .filter((item) => (id === '' || item.id === id) && (!state || item.state === state.state));
    return { items };
  }

  async createContainer({ podSandboxId, config, sandboxConfig }: CreateContainerRequest) {
    const sandbox = this.#pods.sandbox(podSandboxId);
    if (!sandbox) throw new RpcError('NotFound', `sandbox ${podSandboxId} not found`);
    if (!config?.metadata) throw new RpcError('InvalidArgument', 'metadata of the container is not given');
    const { name, attempt } = config.metadata;
    const id = this.#id(sandbox.metadata.uid, name, attempt, sandbox.metadata.attempt);
    const container = new HollowContainer({
      id,
      sandboxId: podSandboxId,
      config,
      podAnnotations: sandboxConfig?.annotations ?? sandbox.annotations,
      clock: this.#clock,
      jobRunForMs: this.#jobRunForMs,
      stopDelayMs: this.#stopDelayMs,
      onDied: () => this.#tell(sandbox, id, 'CONTAINER_STOPPED_EVENT'),
    });
    this.#pods.addContainer(sandbox, container);
    return { containerId: id };
  }

  async startContainer({ containerId }: { readonly containerId: string }, { signal }: ServeOptions) {
    const container = this.#container(containerId);
    if (container.state !== 'CONTAINER_CREATED') {
      throw new RpcError('FailedPrecondition', `container ${containerId} was started before`);
    }
    const { startDelayMs = 0 } = container.fate;
    if (startDelayMs > 0) await sleep(this.#clock, startDelayMs, signal);
    container.start();
    this.#tell(this.#pods.sandbox(container.sandboxId), containerId, 'CONTAINER_STARTED_EVENT');
    return {};
  }

  async stopContainer({ containerId, timeout }: { readonly containerId: string; readonly timeout: number }) {
    await this.#pods.container(containerId)?.stop(timeout * 1000);
    return {};
  }

  async removeContainer({ containerId }: { readonly containerId: string }) {
    const container = this.#pods.container(containerId);
    if (!container) return {};
    container.kill();
    container.forget();
    const sandbox = this.#pods.sandbox(container.sandboxId);
    this.#pods.removeContainer(container);
    this.#tell(sandbox, containerId, 'CONTAINER_DELETED_EVENT');
    return {};
  }

  async containerStatus({ containerId }: { readonly containerId: string }) {
    return { status: this.#container(containerId).status() };
  }

  async listContainers({ filter }: ListContainersRequest) {
    const { id = '', state, podSandboxId = '', labelSelector = {} } = filter ?? {};
    const containers = this.#pods
      .containers(labelSelector)
      .filter(
        (container) =>
          (id === '' || container.id === id) &&
          (podSandboxId === '' || container.sandboxId === podSandboxId) &&
          (!state || container.state === state.state),
      )
      .map((container) => ({ ...container.status(), podSandboxId: container.sandboxId }));
    return { containers };
  }

  async updateContainerResources({ containerId, linux }: UpdateContainerResourcesRequest) {
    this.#container(containerId).resources = linux ?? {};
    return {};
  }

  async execSync() {
    return { exitCode: 0 };
  }

  async exec(): Promise<never> {
    throw new RpcError(
      'Unimplemented',
      'this node is hollow: its containers are not really there, and no command can run in them',
    );
  }

  async attach(): Promise<never> {
    return await this.exec();
  }

  async portForward(): Promise<never> {
    throw new RpcError(
      'Unimplemented',
      "this node's runtime has no ports to forward: its containers are not really there",
    );
  }

  async listContainerStats({ filter }: ListContainerStatsRequest) {
    const running = this.#pods.containers(filter?.labelSelector ?? {}).filter(({ isRunning }) => isRunning);
    return { stats: running.map((container) => this.#statsOf(container)) };
  }

  getContainerEvents(_: object, { signal }: ServeOptions): AsyncIterable<Init<ContainerEventResponse>> {
    return this.#events.listen(signal);
  }

  async imageStatus({ image }: { readonly image?: ImageSpec }): Promise<Init<ImageStatusResponse>> {
    const name = image?.image ?? '';
    const found = [...this.#images].find(([tag, id]) => tag === name || id === name);
    return found ? { image: imageOf(...found) } : {};
  }

  async pullImage({ image, sandboxConfig }: PullImageRequest, { signal }: ServeOptions) {
    const name = image?.image ?? '';
    const { imagePull } = fateOf(sandboxConfig?.annotations ?? {}, image?.annotations[containerNameLabel] ?? '');
    if (imagePull && 'takesMs' in imagePull) await sleep(this.#clock, imagePull.takesMs, signal);
    if (imagePull && 'failsForMs' in imagePull && this.#failsStill(imagePull.failsForMs, sandboxConfig)) {
      throw new RpcError('Unknown', `failed to pull and unpack image "${name}": scripted by the pod's annotations`);
    }
    const imageRef = `${name.replace(/[:@][^/]*$/, '')}@sha256:${sha256(name)}`;
    this.#images.set(name, imageRef);
    return { imageRef };
  }

  async listImages() {
    return { images: [...this.#images].map(([name, id]) => imageOf(name, id)) };
  }

  async removeImage({ image }: { readonly image?: ImageSpec }) {
    this.#images.delete(image?.image ?? '');
    return {};
  }

  read({ id }: LoggedContainer, options: LogOptions): AsyncIterable<Uint8Array> {
    if (options.stream === 'stderr') return noLines();
    const container = this.#container(id);
    const hasEnded = (): boolean => !container.isRunning || !this.#pods.container(id);
    return hollowLogs(container, options, this.#clock, (signal) => this.#events.until(hasEnded, signal));
  }

  /** Cancels all timers and ends all listeners. No state changes after that. */
  close(): void {
    for (const container of this.#pods.containers({})) container.forget();
    this.#events.close();
  }

  #failsStill(failsForMs: number | undefined, sandboxConfig: PodSandboxConfig | undefined): boolean {
    const { uid = '', attempt = 0 } = sandboxConfig?.metadata ?? {};
    const sandbox = this.#pods.sandbox(this.#id(uid, 'sandbox', attempt));
    const sinceMs = sandbox ? Number(sandbox.createdAt / 1_000_000n) : this.#clock.now();
    return this.#clock.now() - sinceMs < (failsForMs ?? Number.POSITIVE_INFINITY);
  }

  #statsOf(container: HollowContainer): Init<ContainerStats> {
    const { config, id, startedAtMs } = container;
    const { cpuNanoCores = 0, memoryBytes = 0 } = container.fate;
    const nowMs = this.#clock.now();
    const timestamp = BigInt(Math.round(nowMs)) * 1_000_000n;
    const usageCoreNanoSeconds = { value: Math.round((cpuNanoCores * (nowMs - startedAtMs)) / 1000) };
    const bytes = { value: memoryBytes };
    return {
      attributes: { id, metadata: config.metadata, labels: config.labels, annotations: config.annotations },
      cpu: { timestamp, usageCoreNanoSeconds, usageNanoCores: { value: cpuNanoCores } },
      memory: { timestamp, workingSetBytes: bytes, usageBytes: bytes },
    };
  }

  #tell(sandbox: HollowSandbox | undefined, containerId: string, containerEventType: ContainerEventType): void {
    if (!sandbox) return;
    const createdAt = BigInt(Math.round(this.#clock.now())) * 1_000_000n;
    this.#events.publish({ containerId, containerEventType, createdAt, podSandboxStatus: sandboxStatus(sandbox) });
  }

  #container(id: string): HollowContainer {
    const container = this.#pods.container(id);
    if (!container) throw new RpcError('NotFound', `container ${id} not found`);
    return container;
  }

  #id(...parts: readonly (string | number)[]): string {
    return sha256([this.#bootId, ...parts].join('/'));
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const imageOf = (name: string, id: string) => ({ id, repoTags: [name], repoDigests: [id], size: imageSizeBytes });

async function* noLines(): AsyncGenerator<never> {}

const sandboxStatus = ({ id, metadata, labels, annotations, createdAt, network, ips, isReady }: HollowSandbox) =>
  ({
    id,
    metadata,
    labels,
    annotations,
    createdAt,
    state: isReady ? 'SANDBOX_READY' : 'SANDBOX_NOTREADY',
    network: { ip: ips[0] ?? '', additionalIps: ips.slice(1).map((ip) => ({ ip })) },
    linux: { namespaces: { options: { network } } },
  }) satisfies Init<PodSandboxStatus>;
