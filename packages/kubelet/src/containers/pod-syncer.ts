import type { Container, EphemeralContainer, Node, Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Clock, Logger } from '@coxswain/client';
import { hookFailure } from '../hooks/hook-failure.ts';
import type { ImagePuller, NeededImage, PresentImage, PullContext } from '../images/image-puller.ts';
import { type ImageVolumes, pullImageVolumes } from '../images/image-volumes.ts';
import type { Machine } from '../machine/machine.ts';
import type { ContainerType, KubeletMetrics } from '../metrics/kubelet-metrics.ts';
import type { ServiceSource } from '../network/service-source.ts';
import type { PodEvents } from '../pods/pod-events.ts';
import { isSidecar } from '../pods/restart-rules.ts';
import { containerConfig } from '../runtime/container-config.ts';
import { errorDetails } from '../runtime/error-details.ts';
import type { KubeRuntime } from '../runtime/kube-runtime.ts';
import type { PodSetup } from '../runtime/pod-setup.ts';
import { latestContainer, type RuntimePod, type RuntimeSandbox } from '../runtime/runtime-pod.ts';
import type { RuntimeSettings } from '../runtime/runtime-settings.ts';
import { sandboxConfig } from '../runtime/sandbox-config.ts';
import { StartError } from '../runtime/start-error.ts';
import type { ConfigSource } from '../volumes/config-source.ts';
import { environmentOf } from '../volumes/environment.ts';
import { expand } from '../volumes/expansion.ts';
import type { ContainerKiller } from './kill-pod.ts';
import { type PodActions, type ProbeVerdicts, podActions } from './pod-actions.ts';
import { resizesOf } from './resize.ts';
import { RestartBackoff } from './restart-backoff.ts';
import { verifyRunAsNonRoot } from './verify-run-as-non-root.ts';

export interface PodSyncerOptions {
  readonly runtime: KubeRuntime;
  readonly machine: Machine;
  readonly settings: RuntimeSettings;
  readonly images: ImagePuller;
  readonly config: ConfigSource;
  /** If undefined, containers have no environment variables of Services. */
  readonly services?: ServiceSource | undefined;
  readonly killer: ContainerKiller;
  readonly probes: ProbeVerdicts;
  readonly events: PodEvents;
  readonly metrics: StartMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  hostIPs(): readonly string[];
  /** Returns the Node object in the API server. Undefined before it is registered. */
  node(): Node | undefined;
}

type StartMetrics = Pick<KubeletMetrics, 'podStarted' | 'podStartFailed' | 'containerStarted' | 'containerStartFailed'>;

export interface SyncInput {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod;
  readonly isRestartingAll: boolean;
  /** Returns the restart count of a container that the runtime no longer has. */
  readonly restartCountOf: (container: string) => number;
  /** The result of `Machine.preparePod`. */
  readonly setup: PodSetup;
  /** Aborts the sync: pending calls are cancelled, and no further action starts. */
  readonly signal: AbortSignal;
}

/** Arguments of all container starts of one sync. */
interface StartContext {
  readonly input: SyncInput;
  readonly sandbox: RuntimeSandbox;
  readonly pull: PullContext;
  readonly imageVolumes: ImageVolumes;
}

export interface SyncResult {
  /** By container name: the error, or undefined if the container was started. Containers without an attempt are absent. */
  readonly starts: ReadonlyMap<string, StartError | undefined>;
  /** An error that is not about starting one container. */
  readonly error?: unknown;
}

/** Computes the actions for a pod and executes them in order. */
export class PodSyncer {
  readonly #options: PodSyncerOptions;
  readonly #backoff: RestartBackoff;

  constructor(options: PodSyncerOptions) {
    this.#options = options;
    const { events, clock, settings } = options;
    this.#backoff = new RestartBackoff({ events, clock, maxPeriodMs: settings.maxRestartPeriodMs });
  }

  /** Never rejects: errors are in the result. */
  async sync(input: SyncInput): Promise<SyncResult> {
    const starts = new Map<string, StartError | undefined>();
    try {
      const { probes, settings } = this.#options;
      const actions = podActions({ ...input, probes, resizeOf: resizesOf(input.pod, settings) });
      await this.#perform(input, actions, starts);
      return { starts };
    } catch (error) {
      return { starts, error };
    }
  }

  forgetPod(pod: Pod): void {
    this.#options.images.forgetPod(pod.metadata.uid ?? '');
    this.#backoff.forgetPod(pod);
  }

  async #perform(input: SyncInput, actions: PodActions, starts: Map<string, StartError | undefined>): Promise<void> {
    const { killer, events, images } = this.#options;
    const { pod, runtimePod, signal } = input;
    if (actions.killPod) {
      if (actions.createSandbox && runtimePod.sandboxes.length > 0) {
        events.pod(pod, 'Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
      }
      await killer.killPod(pod, runtimePod, { signal });
      signal.throwIfAborted();
      // Otherwise init containers of the old sandbox would count as completed in the new one.
      if (actions.createSandbox) await this.#removeInitContainers(pod, runtimePod);
    }
    for (const { container, id, message, probe } of actions.killPod ? [] : actions.containersToKill) {
      await killer.kill(pod, container, id, { message, probe, signal });
    }
    await this.#reset(input, actions);
    signal.throwIfAborted();
    const pull = await this.#pullContext(input, actions);
    const sandbox = actions.createSandbox ? await this.#createSandbox(pod, pull) : runtimePod.sandboxes[0];
    if (!sandbox) return;
    await this.#resize(input, actions);
    const { ephemeralContainersToStart, initContainersToStart, containersToStart } = actions;
    const isAnyToStart = [ephemeralContainersToStart, initContainersToStart, containersToStart].some(
      ({ length }) => length > 0,
    );
    const imageVolumes: ImageVolumes = isAnyToStart ? await pullImageVolumes(pod, images, pull) : new Map();
    const context = { input, sandbox, pull, imageVolumes };
    const start = async (container: Container): Promise<boolean> => {
      signal.throwIfAborted();
      const error = await this.#start(container, context);
      starts.set(container.name, error);
      return error === undefined;
    };
    for (const container of ephemeralContainersToStart) await start(container);
    for (const container of initContainersToStart) {
      if (!(await start(container)) && !isSidecar(container)) return;
    }
    for (const container of containersToStart) await start(container);
  }

  /**
   * Resizes containers in place. A container cannot have more than its pod's cgroup: the pod's limits are raised before those of the
   * containers, and lowered after them.
   */
  async #resize({ pod, signal }: SyncInput, { containersToResize }: PodActions): Promise<void> {
    const { runtime, machine } = this.#options;
    if (containersToResize.length === 0) return;
    await machine.resizePod(pod, signal).catch(() => {});
    for (const { container, id } of containersToResize) {
      await runtime.updateContainerResources(pod, container, id, signal);
    }
    await machine.resizePod(pod, signal);
  }

  /** Kills and removes the containers of a pod whose containers are all restarted. */
  async #reset({ pod, signal }: SyncInput, { containersToReset }: PodActions): Promise<void> {
    const { runtime, killer } = this.#options;
    const specs = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
    for (const { id, name, state } of containersToReset) {
      const container = specs.find((spec) => spec.name === name);
      if (state === 'Running' && container) {
        await killer.kill(pod, container, id, { message: 'killing', gracePeriodSeconds: 0, signal });
      }
      await runtime.removeContainer(id, signal);
    }
  }

  async #pullContext({ pod, runtimePod, setup, signal }: SyncInput, actions: PodActions): Promise<PullContext> {
    const { config, settings, events, machine } = this.#options;
    const attempt = actions.createSandbox ? actions.attempt : (runtimePod.sandboxes[0]?.attempt ?? 0);
    if (actions.createSandbox) {
      for (const { reason, message } of setup.warnings) events.pod(pod, 'Warning', reason, message);
    }
    try {
      const runtimeHandler = await runtimeHandlerOf(pod, config);
      machine.checkUserNamespace?.(pod, runtimeHandler);
      const supplementalGroups = machine.supplementalGroups(pod.metadata.uid ?? '');
      return {
        sandboxConfig: sandboxConfig(pod, attempt, { ...setup, supplementalGroups }, settings),
        runtimeHandler,
        signal,
      };
    } catch (error) {
      const message = `Failed to create pod sandbox: ${messageOf(error)}`;
      if (actions.createSandbox) events.pod(pod, 'Warning', 'FailedCreatePodSandBox', message);
      throw error;
    }
  }

  async #createSandbox(pod: Pod, { sandboxConfig, runtimeHandler, signal }: PullContext): Promise<RuntimeSandbox> {
    const { runtime, events, metrics } = this.#options;
    metrics.podStarted();
    try {
      return await runtime.runPodSandbox(sandboxConfig, runtimeHandler, signal);
    } catch (error) {
      signal.throwIfAborted();
      metrics.podStartFailed();
      events.pod(pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${messageOf(error)}`);
      throw error;
    }
  }

  async #removeInitContainers({ spec }: Pod, { containers }: RuntimePod): Promise<void> {
    for (const { id, name } of [...containers]) {
      if (spec?.initContainers?.some((init) => init.name === name)) await this.#options.runtime.removeContainer(id);
    }
  }

  /** Throws if the container mounts an image that could not be pulled. */
  #checkImageVolumes(pod: Pod, container: Container, volumes: ImageVolumes): void {
    const errors = (container.volumeMounts ?? []).flatMap(({ name }) => {
      const volume = volumes.get(name);
      return volume instanceof StartError ? [volume] : [];
    });
    for (const { reason } of errors) {
      this.#options.events.container(pod, container, 'Warning', 'Failed', `Error: ${reason}`);
    }
    const last = errors.at(-1);
    if (last) throw last;
  }

  /** Returns undefined if the container was started. Rejects only if the sync is aborted. */
  async #start(container: Container, context: StartContext): Promise<StartError | undefined> {
    const { input, imageVolumes } = context;
    try {
      this.#backoff.check(input.pod, input.runtimePod, container);
      this.#checkImageVolumes(input.pod, container, imageVolumes);
      this.#options.metrics.containerStarted(typeOf(input.pod, container));
      await this.#startNow(container, context);
      await this.#prune(input.pod, container);
      return undefined;
    } catch (error) {
      if (!(error instanceof StartError)) input.signal.throwIfAborted();
      const failure =
        error instanceof StartError ? error : new StartError('RunContainerError', messageOf(error), { cause: error });
      this.#options.metrics.containerStartFailed(typeOf(input.pod, container), failure.reason);
      return failure;
    }
  }

  async #startNow(container: Container, context: StartContext): Promise<void> {
    const { runtime, images, events, killer, machine } = this.#options;
    const { input, sandbox, pull } = context;
    const { pod, runtimePod, signal } = input;
    const failed = (message: string): void =>
      events.container(pod, container, 'Warning', 'Failed', `Error: ${message}`);
    const image = await images.ensureImage(pod, imageOf(container), pull).catch((error: unknown) => {
      signal.throwIfAborted();
      failed(error instanceof StartError ? error.reason : messageOf(error));
      throw error;
    });
    const attempt = async <T>(reason: string, work: Promise<T>): Promise<T> => {
      try {
        return await work;
      } catch (error) {
        signal.throwIfAborted();
        failed(errorDetails(error));
        throw new StartError(reason, errorDetails(error), { cause: error });
      }
    };
    const latest = latestContainer(runtimePod, container.name);
    const restartCount = latest ? latest.restartCount + 1 : await this.#restartCountOf(container, input);
    const config = await attempt('CreateContainerConfigError', this.#configOf(container, context, image, restartCount));
    const created = runtime.createContainer(sandbox.id, { pod, container }, config, pull.sandboxConfig, signal);
    const id = await attempt('CreateContainerError', created);
    events.container(pod, container, 'Normal', 'Created', 'Container created');
    await attempt('RunContainerError', runtime.startContainer(id, signal));
    await machine.containerStarted(pod, container, id).catch((error: unknown) => {
      this.#options.logger.error('Failed to link the log of a container', error, { container: container.name });
    });
    events.container(pod, container, 'Normal', 'Started', 'Container started');
    const handler = container.lifecycle?.postStart;
    if (!handler) return;
    try {
      const warn = (reason: string, message: string): void => events.pod(pod, 'Warning', reason, message);
      await machine.hooks.run({ kind: 'PostStart', handler, pod, container, containerId: id, warn }, signal);
    } catch (error) {
      signal.throwIfAborted();
      // The output of the hook may be secret, so the event does not have it.
      events.container(pod, container, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
      await killer.kill(pod, container, id, { message: 'FailedPostStartHook', signal });
      throw new StartError('PostStartHookError', hookFailure(handler, pod, container, error), { cause: error });
    }
  }

  /** Returns the restart count for a container that the runtime does not have. It is above those of existing logs, which must be kept. */
  async #restartCountOf({ name }: Container, { pod, restartCountOf }: SyncInput): Promise<number> {
    const { machine, logger } = this.#options;
    const byLogs = await machine.restartCountOf?.(pod, name).catch((error: unknown) => {
      logger.error('Cannot calculate restartCount from the log directory', error, { pod, containerName: name });
      return 0;
    });
    return Math.max(byLogs ?? 0, restartCountOf(name));
  }

  /** Returns the container's configuration for the runtime. Rejects if its variables, volumes or user are invalid. */
  async #configOf(container: Container, context: StartContext, image: PresentImage, restartCount: number) {
    const { config, services, hostIPs, node, machine, settings } = this.#options;
    const { input, sandbox } = context;
    const { pod, runtimePod } = input;
    const podIPs = pod.spec?.hostNetwork ? hostIPs() : sandbox.ips;
    const env = await environmentOf({
      pod,
      container,
      source: config,
      podIPs,
      hostIPs: hostIPs(),
      node: node(),
      services,
      ...(machine.readVolumeFile && { readFile: machine.readVolumeFile.bind(machine, pod) }),
    });
    const withValues = (words: readonly string[] | null | undefined): string[] =>
      (words ?? []).map((word) => expand(word, (name) => env.get(name)));
    const ofMachine = await machine.prepareContainer(pod, container, {
      env,
      podIPs,
      restartCount,
      imageVolumes: context.imageVolumes,
    });
    verifyRunAsNonRoot(pod, container, image.user);
    const { targetContainerName } = container as EphemeralContainer;
    return containerConfig(
      {
        pod,
        container,
        restartCount,
        imageRef: image.ref,
        imageUser: image.user,
        env,
        command: withValues(container.command),
        args: withValues(container.args),
        setup: ofMachine,
        supplementalGroups: machine.supplementalGroups(pod.metadata.uid ?? ''),
        targetId: targetContainerName ? targetOf(runtimePod, targetContainerName) : undefined,
      },
      settings,
    );
  }

  /** Removes exited containers of the same name except the latest, whose logs and exit code are still needed. */
  async #prune({ metadata: { uid = '' } }: Pod, { name }: Container): Promise<void> {
    const { runtime } = this.#options;
    const { containers } = await runtime.podStatus(uid);
    const ended = containers.filter((container) => container.name === name && container.state === 'Exited');
    for (const { id } of ended.slice(1)) await runtime.removeContainer(id);
  }
}

/** Returns the runtime handler of the pod's RuntimeClass; empty for the default one. */
async function runtimeHandlerOf({ spec }: Pod, config: ConfigSource): Promise<string> {
  if (!spec?.runtimeClassName) return '';
  const runtimeClass = await config.runtimeClass(spec.runtimeClassName);
  if (!runtimeClass) throw new Error(`runtimeclass.node.k8s.io "${spec.runtimeClassName}" not found`);
  return runtimeClass.handler;
}

/** Returns the id of the container whose process namespace an ephemeral container joins. Throws if that container does not run. */
function targetOf(runtimePod: RuntimePod, name: string): string {
  const target = latestContainer(runtimePod, name);
  if (target?.state === 'Running') return target.id;
  throw new Error(`unable to find target container ${JSON.stringify(name)}`);
}

const imageOf = (container: Container): NeededImage => ({
  image: container.image ?? '',
  pullPolicy: container.imagePullPolicy,
  container,
});

function typeOf({ spec }: Pod, { name }: Container): ContainerType {
  if (spec?.initContainers?.some((each) => each.name === name)) return 'init_container';
  return spec?.ephemeralContainers?.some((each) => each.name === name) ? 'ephemeral_container' : 'container';
}
