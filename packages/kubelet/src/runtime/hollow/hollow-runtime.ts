import { createHash } from 'node:crypto';
import type { Pod, ResourceRequirements } from '@coxswain/api/core/v1';
import { systemRandom } from '@coxswain/apimachinery/random';
import { type Clock, sleep, systemClock } from '@coxswain/client';
import type {
  ContainerConfig,
  ContainerRuntime,
  ExecResult,
  Hook,
  ImagePull,
  LogOptions,
  PulledImage,
  RuntimeEvent,
  RuntimeImage,
  RuntimePod,
  RuntimePodStats,
  RuntimeSandbox,
  RuntimeStatus,
  RuntimeVersion,
  SandboxOptions,
} from '../container-runtime.ts';
import { fateOf, fateProblems } from './fate.ts';
import { HollowContainer } from './hollow-container.ts';
import { hollowLogs } from './hollow-logs.ts';
import { IpPool } from './ip-pool.ts';

export interface HollowRuntimeOptions {
  readonly clock?: Clock;
  /** Addresses of pods as long as the node has no `podCIDR`. */
  readonly podCIDRs?: readonly string[];
  /** Containers of Jobs succeed after this time, when nothing else is known of them. A second by default. */
  readonly jobRunForMs?: number;
  /** How long containers go on after they were asked to stop, unless they are scripted. By default they stop at once. */
  readonly stopDelayMs?: number;
  /** Another one makes the node one that was rebooted. */
  readonly bootId?: string;
}

interface HollowSandbox {
  readonly id: string;
  readonly attempt: number;
  isReady: boolean;
  readonly ips: string[];
}

/** What there is of a pod. Latest first, both lists. */
interface HollowPod extends RuntimePod {
  readonly sandboxes: HollowSandbox[];
  readonly containers: HollowContainer[];
}

const imageSizeBytes = 1_000_000;

/**
 * A runtime that runs nothing: containers are records whose states move by the clock. What becomes of them is scripted by
 * annotations of their pods (`fate.ts`), or told from their commands (`command-outcome.ts`); without, they run until they are
 * stopped, but for init containers, which succeed at once, and the containers of Jobs, which succeed after a short time.
 */
export class HollowRuntime implements ContainerRuntime {
  readonly name = 'hollow';
  readonly #clock: Clock;
  readonly #jobRunForMs: number;
  readonly #stopDelayMs: number;
  readonly #bootId: string;
  readonly #pods = new Map<string, HollowPod>();
  /** The pod of each sandbox and container, by id. */
  readonly #owners = new Map<string, HollowPod>();
  readonly #listeners = new Set<(event: RuntimeEvent) => void>();
  /** As many as there are different images in pods of this node. */
  readonly #images = new Map<string, string>();
  #pools: IpPool[];

  constructor(options: HollowRuntimeOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#jobRunForMs = options.jobRunForMs ?? 1000;
    this.#stopDelayMs = options.stopDelayMs ?? 0;
    this.#bootId = options.bootId ?? systemRandom.uuid();
    this.#pools = (options.podCIDRs ?? ['10.88.0.0/16']).map((cidr) => new IpPool(cidr));
  }

  async version(): Promise<RuntimeVersion> {
    return { runtimeVersion: 'hollow://1.0.0', bootId: this.#bootId, kernelVersion: 'hollow', osImage: 'Hollow' };
  }

  async status(): Promise<RuntimeStatus> {
    return {};
  }

  setPodCIDRs(podCIDRs: readonly string[]): void {
    if (podCIDRs.length === 0 || podCIDRs.every((cidr, i) => this.#pools[i]?.cidr === cidr)) return;
    this.#pools = podCIDRs.map((cidr) => new IpPool(cidr));
  }

  podWarnings(pod: Pod): readonly string[] {
    return fateProblems(pod);
  }

  async runPodSandbox(pod: Pod, { attempt }: SandboxOptions): Promise<RuntimeSandbox> {
    const { uid = '', name = '', namespace = '' } = pod.metadata;
    const ips = pod.spec?.hostNetwork ? [] : this.#pools.map((pool) => pool.allocate());
    const known = this.#pods.get(uid) ?? { uid, name, namespace, sandboxes: [], containers: [] };
    const sandbox = { id: this.#id(uid, 'sandbox', attempt), attempt, isReady: true, ips };
    known.sandboxes.unshift(sandbox);
    this.#pods.set(uid, known);
    this.#owners.set(sandbox.id, known);
    return sandbox;
  }

  async stopPodSandbox(id: string): Promise<void> {
    const pod = this.#owners.get(id);
    const sandbox = pod?.sandboxes.find((candidate) => candidate.id === id);
    if (!pod || !sandbox?.isReady) return;
    sandbox.isReady = false;
    for (const container of pod.containers) if (container.sandboxId === id) container.kill();
    for (const ip of sandbox.ips) for (const pool of this.#pools) pool.release(ip);
    this.#tell({ podUid: pod.uid, type: 'SandboxChanged' });
  }

  async removePodSandbox(id: string): Promise<void> {
    const pod = this.#owners.get(id);
    if (!pod) return;
    await this.stopPodSandbox(id);
    this.#owners.delete(id);
    drop(pod.sandboxes, (sandbox) => sandbox.id === id);
    for (const container of drop(pod.containers, ({ sandboxId }) => sandboxId === id)) {
      container.forget();
      this.#owners.delete(container.id);
    }
    if (pod.sandboxes.length === 0) this.#pods.delete(pod.uid);
  }

  async imageRef(image: string): Promise<string | undefined> {
    return this.#images.get(image);
  }

  async pullImage(image: string, { pod, container }: ImagePull): Promise<PulledImage> {
    const { imagePull } = fateOf(pod, container?.name ?? '');
    if (imagePull && 'takesMs' in imagePull) await sleep(this.#clock, imagePull.takesMs);
    if (imagePull && 'failsForMs' in imagePull) {
      const madeAtMs = Date.parse(pod.metadata.creationTimestamp ?? '') || 0;
      const { failsForMs = Number.POSITIVE_INFINITY } = imagePull;
      if (this.#clock.now() - madeAtMs < failsForMs) {
        throw new Error(`failed to pull and unpack image "${image}": the pod's annotations say so`);
      }
    }
    const imageRef = `${image.replace(/[:@][^/]*$/, '')}@sha256:${sha256(image)}`;
    this.#images.set(image, imageRef);
    return { imageRef, sizeBytes: imageSizeBytes };
  }

  async images(): Promise<readonly RuntimeImage[]> {
    return [...this.#images].map(([name, ref]) => ({ names: [ref, name], sizeBytes: imageSizeBytes }));
  }

  async createContainer(sandboxId: string, config: ContainerConfig): Promise<string> {
    const pod = this.#owners.get(sandboxId);
    if (!pod) throw new Error(`sandbox ${sandboxId} not found`);
    const podUid = pod.uid;
    const container = new HollowContainer({
      id: this.#id(podUid, config.container.name, config.restartCount),
      sandboxId,
      config,
      clock: this.#clock,
      jobRunForMs: this.#jobRunForMs,
      stopDelayMs: this.#stopDelayMs,
      onDied: () => this.#tell({ podUid, type: 'ContainerDied' }),
    });
    pod.containers.unshift(container);
    this.#owners.set(container.id, pod);
    return container.id;
  }

  async startContainer(id: string): Promise<void> {
    const container = this.#container(id);
    const { startDelayMs = 0 } = container.fate;
    if (startDelayMs > 0) await sleep(this.#clock, startDelayMs);
    container.start();
    this.#tell({ podUid: this.#owners.get(id)?.uid ?? '', type: 'ContainerStarted' });
  }

  async stopContainer(id: string, gracePeriodSeconds: number): Promise<void> {
    await this.#find(id)?.stop(gracePeriodSeconds * 1000);
  }

  async removeContainer(id: string): Promise<void> {
    const pod = this.#owners.get(id);
    if (!pod) return;
    for (const container of drop(pod.containers, (candidate) => candidate.id === id)) {
      container.kill();
      container.forget();
    }
    this.#owners.delete(id);
    this.#tell({ podUid: pod.uid, type: 'ContainerRemoved' });
  }

  async updateContainerResources(id: string, resources: ResourceRequirements): Promise<void> {
    this.#container(id).resources = resources;
  }

  async podStatus(podUid: string): Promise<RuntimePod> {
    const pod = this.#pods.get(podUid);
    return pod ? snapshot(pod) : { uid: podUid, name: '', namespace: '', sandboxes: [], containers: [] };
  }

  async pods(): Promise<readonly RuntimePod[]> {
    return [...this.#pods.values()].map(snapshot);
  }

  onEvent(listener: (event: RuntimeEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async execSync(): Promise<ExecResult> {
    return { exitCode: 0, output: '' };
  }

  async exec(): Promise<never> {
    throw new Error('this node is hollow: its containers are not really there, and no command can run in them');
  }

  async runHook(_id: string, { kind, handler, pod, container }: Hook): Promise<void> {
    const { postStart, preStop } = fateOf(pod, container.name);
    const script = kind === 'PostStart' ? postStart : preStop;
    if (script === 'fail') throw new Error("the pod's annotations say so");
    const takesMs = script?.takesMs ?? Number(handler.sleep?.seconds ?? 0) * 1000;
    if (takesMs > 0) await sleep(this.#clock, takesMs);
  }

  logs(id: string, options: LogOptions): AsyncIterable<Uint8Array> {
    const container = this.#container(id);
    const whenDied = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const end = (): void => {
          stop();
          resolve();
        };
        const stop = this.onEvent(() => {
          if (container.state !== 'Running' || !this.#find(id)) end();
        });
        if (container.state !== 'Running' || signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      });
    return hollowLogs(container, options, this.#clock, whenDied);
  }

  async podStats(podUid: string): Promise<RuntimePodStats | undefined> {
    const pod = this.#pods.get(podUid);
    const running = pod?.containers.filter(({ state }) => state === 'Running');
    return (
      running && {
        containers: running.map(({ name, startedAtMs, fate: { cpuNanoCores = 0, memoryBytes = 0 } }) => {
          const seconds = (this.#clock.now() - startedAtMs) / 1000;
          const cpuCoreNanoSeconds = Math.round(cpuNanoCores * seconds);
          return { name, startedAtMs, cpuNanoCores, cpuCoreNanoSeconds, memoryBytes };
        }),
      }
    );
  }

  /** Ends all timers; nothing happens any more. */
  close(): void {
    for (const { containers } of this.#pods.values()) for (const container of containers) container.forget();
  }

  #tell(event: RuntimeEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #find(id: string): HollowContainer | undefined {
    return this.#owners.get(id)?.containers.find((container) => container.id === id);
  }

  #container(id: string): HollowContainer {
    const container = this.#find(id);
    if (!container) throw new Error(`container ${id} not found`);
    return container;
  }

  #id(...parts: readonly (string | number)[]): string {
    return sha256([this.#bootId, ...parts].join('/'));
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** As it is now: what comes later does not change it. */
const snapshot = ({ uid, name, namespace, sandboxes, containers }: HollowPod): RuntimePod => ({
  uid,
  name,
  namespace,
  sandboxes: sandboxes.map((sandbox) => ({ ...sandbox })),
  containers: containers.map((container) => container.snapshot()),
});

/** Takes away what the test names, and answers it. */
function drop<T>(list: T[], test: (element: T) => boolean): T[] {
  const dropped = list.filter(test);
  for (const element of dropped) list.splice(list.indexOf(element), 1);
  return dropped;
}
