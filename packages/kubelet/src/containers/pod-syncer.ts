import type { Container, Node, Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { formatDuration } from '@coxswain/apimachinery/time';
import { Backoff, type Clock } from '@coxswain/client';
import type { ImagePuller, NeededImage } from '../images/image-puller.ts';
import { pullImageVolumes } from '../images/image-volumes.ts';
import { type PodEvents, podText } from '../pods/pod-events.ts';
import {
  type ContainerConfig,
  type ContainerRuntime,
  latestContainer,
  type RuntimePod,
  type RuntimeSandbox,
} from '../runtime/container-runtime.ts';
import { StartError } from '../runtime/start-error.ts';
import type { ConfigSource } from '../volumes/config-source.ts';
import { environmentOf } from '../volumes/environment.ts';
import { expand } from '../volumes/expansion.ts';
import { checkSubPaths } from '../volumes/sub-paths.ts';
import { hookFailure } from './hook-failure.ts';
import type { ContainerKiller } from './kill-pod.ts';
import { type PodActions, type ProbeVerdicts, podActions } from './pod-actions.ts';
import { isSidecar } from './restart-rules.ts';
import { verifyRunAsNonRoot } from './verify-run-as-non-root.ts';

export interface PodSyncerOptions {
  readonly runtime: ContainerRuntime;
  readonly images: ImagePuller;
  readonly config: ConfigSource;
  readonly killer: ContainerKiller;
  readonly probes: ProbeVerdicts;
  readonly events: PodEvents;
  readonly clock: Clock;
  hostIPs(): readonly string[];
  /** As the server has it; undefined as long as it has not been registered. */
  node(): Node | undefined;
}

export interface SyncInput {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod;
  readonly isRestartingAll: boolean;
  /** How often a container had been started before the runtime lost it. */
  readonly restartCountOf: (container: string) => number;
}

export interface SyncResult {
  /** By container: undefined for one that was started. Those that were not tried are not in it. */
  readonly starts: ReadonlyMap<string, StartError | undefined>;
  /** What went wrong otherwise. */
  readonly error?: unknown;
}

const firstBackoffMs = 10_000;
const longestBackoffMs = 300_000;

/** Does what has to be done for a pod, in the order in which it must be. */
export class PodSyncer {
  readonly #options: PodSyncerOptions;
  readonly #backoff: Backoff;
  /** What was run when the container last ended, by pod and container: what is changed is tried without waiting. */
  readonly #tried = new Map<string, string>();

  constructor(options: PodSyncerOptions) {
    this.#options = options;
    this.#backoff = new Backoff({ initialMs: firstBackoffMs, maxMs: longestBackoffMs, clock: options.clock });
  }

  /** Never rejects: what cannot be done is in the result. */
  async sync(input: SyncInput): Promise<SyncResult> {
    const starts = new Map<string, StartError | undefined>();
    try {
      await this.#perform(
        input,
        podActions(input.pod, input.runtimePod, this.#options.probes, input.isRestartingAll),
        starts,
      );
      return { starts };
    } catch (error) {
      return { starts, error };
    }
  }

  forgetPod({ metadata: { uid = '' }, spec }: Pod): void {
    this.#options.images.forgetPod(uid);
    for (const { name } of [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]) {
      this.#backoff.reset(`${uid}/${name}`);
      this.#tried.delete(`${uid}/${name}`);
    }
  }

  async #perform(input: SyncInput, actions: PodActions, starts: Map<string, StartError | undefined>): Promise<void> {
    const { runtime, killer, events } = this.#options;
    const { pod, runtimePod } = input;
    if (actions.killPod) {
      if (actions.createSandbox && runtimePod.sandboxes.length > 0) {
        events.pod(pod, 'Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
      }
      await killer.killPod(pod, runtimePod);
      // Init containers of the old sandbox must not be taken for those of the new one.
      if (actions.createSandbox) await this.#removeInitContainers(pod, runtimePod);
    }
    for (const { container, id, message, probe } of actions.killPod ? [] : actions.containersToKill) {
      await killer.kill(pod, container, id, { message, probe });
    }
    for (const { id, name, state } of actions.containersToReset) {
      const container = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].find(
        (c) => c.name === name,
      );
      if (state === 'Running' && container) {
        await killer.kill(pod, container, id, { message: 'killing', gracePeriodSeconds: 0 });
      }
      await runtime.removeContainer(id);
    }
    const sandbox = actions.createSandbox ? await this.#createSandbox(pod, actions.attempt) : runtimePod.sandboxes[0];
    if (!sandbox) return;
    for (const { container, id } of actions.containersToResize) {
      await runtime.updateContainerResources(id, container.resources ?? {});
    }
    const isAnyToStart =
      actions.ephemeralContainersToStart.length +
        actions.initContainersToStart.length +
        actions.containersToStart.length >
      0;
    const missing = isAnyToStart ? await pullImageVolumes(pod, this.#options.images) : new Map<string, StartError>();
    const start = async (container: Container): Promise<boolean> => {
      const error = await this.#start(input, container, sandbox, missing);
      starts.set(container.name, error);
      return error === undefined;
    };
    for (const container of actions.ephemeralContainersToStart) await start(container);
    for (const container of actions.initContainersToStart) {
      if (!(await start(container)) && !isSidecar(container)) return;
    }
    for (const container of actions.containersToStart) await start(container);
  }

  async #createSandbox(pod: Pod, attempt: number): Promise<RuntimeSandbox> {
    const { runtime, events } = this.#options;
    try {
      return await runtime.runPodSandbox(pod, { attempt });
    } catch (error) {
      events.pod(pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${messageOf(error)}`);
      throw error;
    }
  }

  async #removeInitContainers({ spec }: Pod, { containers }: RuntimePod): Promise<void> {
    for (const { id, name } of [...containers]) {
      if (spec?.initContainers?.some((init) => init.name === name)) await this.#options.runtime.removeContainer(id);
    }
  }

  /** Throws when the container mounts an image that could not be had. */
  #checkVolumes(pod: Pod, container: Container, missing: ReadonlyMap<string, StartError>): void {
    const errors = (container.volumeMounts ?? []).flatMap(({ name }) => missing.get(name) ?? []);
    for (const { reason } of errors) {
      this.#options.events.container(pod, container, 'Warning', 'Failed', `Error: ${reason}`);
    }
    const last = errors.at(-1);
    if (last) throw last;
  }

  /** Undefined when it was started. */
  async #start(
    input: SyncInput,
    container: Container,
    sandbox: RuntimeSandbox,
    missingVolumes: ReadonlyMap<string, StartError>,
  ): Promise<StartError | undefined> {
    try {
      this.#backOff(input, container);
      this.#checkVolumes(input.pod, container, missingVolumes);
      await this.#startNow(input, container, sandbox);
      await this.#prune(input.pod, container);
      return undefined;
    } catch (error) {
      if (error instanceof StartError) return error;
      return new StartError('RunContainerError', messageOf(error), { cause: error });
    }
  }

  /** Throws while a container that keeps ending has to wait. */
  #backOff({ pod, runtimePod }: SyncInput, container: Container): void {
    const { events } = this.#options;
    const ended = runtimePod.containers.find(({ name, state }) => name === container.name && state === 'Exited');
    if (!ended) return;
    const key = `${pod.metadata.uid}/${container.name}`;
    const { finishedAtMs } = ended;
    const content = JSON.stringify([container.image, container.resources]);
    if (this.#tried.get(key) !== content) this.#backoff.reset(key);
    this.#tried.set(key, content);
    if (!this.#backoff.isInBackoffSince(key, finishedAtMs)) {
      this.#backoff.next(key, finishedAtMs);
      return;
    }
    const { name } = container;
    events.container(
      pod,
      container,
      'Warning',
      'BackOff',
      `Back-off restarting failed container ${name} in pod ${podText(pod)}`,
    );
    const delayMs = this.#backoff.get(key);
    const message = `back-off ${formatDuration(delayMs * 1e6)} restarting failed container=${name} pod=${podText(pod)}`;
    throw new StartError('CrashLoopBackOff', message, { retryAtMs: finishedAtMs + delayMs });
  }

  async #startNow(input: SyncInput, container: Container, sandbox: RuntimeSandbox): Promise<void> {
    const { runtime, images, events, killer } = this.#options;
    const { pod, runtimePod, restartCountOf } = input;
    const failed = (message: string): void =>
      events.container(pod, container, 'Warning', 'Failed', `Error: ${message}`);
    const imageRef = await images.ensureImage(pod, imageOf(container)).catch((error: unknown) => {
      failed(error instanceof StartError ? error.reason : messageOf(error));
      throw error;
    });
    const attempt = async <T>(reason: string, work: Promise<T>): Promise<T> => {
      try {
        return await work;
      } catch (error) {
        failed(messageOf(error));
        throw new StartError(reason, messageOf(error), { cause: error });
      }
    };
    const settings = await attempt('CreateContainerConfigError', this.#settingsOf(pod, container, sandbox));
    const latest = latestContainer(runtimePod, container.name);
    const restartCount = latest ? latest.restartCount + 1 : restartCountOf(container.name);
    const config = { pod, container, imageRef, restartCount, ...settings };
    const id = await attempt('CreateContainerError', runtime.createContainer(sandbox.id, config));
    events.container(pod, container, 'Normal', 'Created', 'Container created');
    await attempt('RunContainerError', runtime.startContainer(id));
    events.container(pod, container, 'Normal', 'Started', 'Container started');
    const handler = container.lifecycle?.postStart;
    if (!handler) return;
    try {
      await runtime.runHook(id, { kind: 'PostStart', handler, pod, container });
    } catch (error) {
      // What the hook said may be a secret.
      events.container(pod, container, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
      await killer.kill(pod, container, id, { message: 'FailedPostStartHook' });
      throw new StartError('PostStartHookError', hookFailure(handler, pod, container, error), { cause: error });
    }
  }

  /** Rejects with what is wrong with the container's variables, or with what they are used for. */
  async #settingsOf(
    pod: Pod,
    container: Container,
    { ips }: RuntimeSandbox,
  ): Promise<Pick<ContainerConfig, 'env' | 'command' | 'args'>> {
    const { config, hostIPs, node } = this.#options;
    const podIPs = pod.spec?.hostNetwork ? hostIPs() : ips;
    const env = await environmentOf({ pod, container, source: config, podIPs, hostIPs: hostIPs(), node: node() });
    checkSubPaths(container, env);
    verifyRunAsNonRoot(pod, container);
    const filledIn = (words: readonly string[] | null | undefined): string[] =>
      (words ?? []).map((word) => expand(word, (name) => env.get(name)));
    return { env, command: filledIn(container.command), args: filledIn(container.args) };
  }

  /** Of those that have ended, the last one is kept: its logs, and how it ended. */
  async #prune({ metadata: { uid = '' } }: Pod, { name }: Container): Promise<void> {
    const { runtime } = this.#options;
    const { containers } = await runtime.podStatus(uid);
    const ended = containers.filter((container) => container.name === name && container.state === 'Exited');
    for (const { id } of ended.slice(1)) await runtime.removeContainer(id);
  }
}

const imageOf = (container: Container): NeededImage => ({
  image: container.image ?? '',
  pullPolicy: container.imagePullPolicy,
  container,
});
