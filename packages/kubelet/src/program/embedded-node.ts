import { silentLogger } from '@coxswain/apimachinery/log';
import { type Random, systemRandom } from '@coxswain/apimachinery/random';
import { type ClientSet, type Clock, CoreEventRecorder, type Logger, systemClock } from '@coxswain/client';
import { withDefaults } from '@coxswain/component-base';
import { findCgroups, HelperCommands, newCgroupName, Systemd, UtilLinuxMounter } from '@coxswain/linux';
import { completeConfiguration } from '../configuration/index.ts';
import { Kubelet } from '../kubelet.ts';
import { LinuxNode } from '../linux-node/linux-node.ts';
import { enforcedAllocatable } from '../node/node-resources.ts';
import { nodeFlags } from '../options/kubelet-flags.ts';
import { type NodeConfiguration, nodeConfiguration } from '../options/node-configuration.ts';
import { ownedRuntime } from '../runtime/owned-runtime.ts';
import { CachedConfigSource } from '../volumes/config-source.ts';
import { cgroupDriver } from './cgroup-driver.ts';
import { thisMachine } from './host.ts';
import type { NodeRuntime, OpenRuntime } from './node-runtime.ts';
import { capacityOf, nodeSpecOf } from './node-spec-of.ts';

export interface EmbeddedNodeOptions {
  readonly nodeName: string;
  readonly runtime: NodeRuntime;
  /** The node's own directory, for pods, volumes and logs. */
  readonly directory: string;
  /** The resolver configuration that pods inherit; /etc/resolv.conf by default. */
  readonly resolvConf?: string;
  /** Distinguishes the node's pods from those of other kubelets that use the same runtime, and its cgroups from theirs. */
  readonly owner: string;
  /** Clients with the rights of the node. */
  readonly clients: ClientSet;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger: Logger;
}

const ownerLabel = 'coxswain.dev/node';

/**
 * A real node in the process of its cluster: this machine, with the usual configuration of a kubelet. It shares the container runtime with
 * others. The cluster reaches it by `kubelet.handler`, without a port.
 */
export class EmbeddedNode {
  readonly kubelet: Kubelet;
  readonly #linux: LinuxNode;
  readonly #runtime: OpenRuntime;
  readonly #recorder: CoreEventRecorder;

  private constructor(kubelet: Kubelet, linux: LinuxNode, runtime: OpenRuntime, recorder: CoreEventRecorder) {
    this.kubelet = kubelet;
    this.#linux = linux;
    this.#runtime = runtime;
    this.#recorder = recorder;
  }

  /** Rejects if the machine or the runtime cannot be used; nothing is left running then. */
  static async start(options: EmbeddedNodeOptions, signal: AbortSignal): Promise<EmbeddedNode> {
    const { clock = systemClock, random = systemRandom, logger, owner } = options;
    const runtime = ownedRuntime(await options.runtime.open({ clock, random, logger }), { [ownerLabel]: owner });
    try {
      return await EmbeddedNode.#start({ ...options, clock, random }, runtime, signal);
    } catch (error) {
      await runtime.close();
      throw error;
    }
  }

  static async #start(
    options: EmbeddedNodeOptions & { readonly clock: Clock; readonly random: Random },
    runtime: OpenRuntime,
    signal: AbortSignal,
  ): Promise<EmbeddedNode> {
    const { nodeName, clients, clock, random, logger } = options;
    const driver = await cgroupDriver({ configured: 'cgroupfs', runtime: runtime.runtime, clock, logger }, signal);
    const configuration = await configurationOf(options, driver);
    const capacity = await capacityOf(configuration, thisMachine);
    const { cpu, memory } = enforcedAllocatable(capacity, configuration.resources.reservations);
    const node = await nodeSpecOf({ configuration, host: thisMachine, logger });
    const source = { component: 'kubelet', host: nodeName };
    const common = { clock, logger };
    const recorder = new CoreEventRecorder({
      ...common,
      events: clients.core.v1.events,
      source,
      random: random.number,
    });
    const config = new CachedConfigSource(clients, clock);
    let kubelet: Kubelet | undefined;
    const linux = await LinuxNode.start({
      ...common,
      configuration,
      runtime,
      clients,
      config,
      recorder,
      allocatable: { milliCpu: cpu?.milliValue() ?? 0, memoryBytes: memory?.value() ?? 0 },
      nodeIPs: () => kubelet?.hostIPs ?? [],
      random,
      containerLogsDirectory: `${options.directory}/container-logs`,
    });
    kubelet = new Kubelet({
      ...common,
      // There is no port: the cluster asks the kubelet in its process.
      node: { ...node, port: 0 },
      clients,
      runtime,
      machine: linux.machine,
      settings: linux.settings,
      services: linux.services,
      config,
      recorder,
      random: random.number,
    });
    linux.attach(kubelet);
    return new EmbeddedNode(kubelet, linux, runtime, recorder);
  }

  /** Works until the signal is aborted. Containers go on running, and the next `EmbeddedNode` of the same owner takes them up. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await Promise.all([this.kubelet.run(signal), this.#linux.run(signal)]);
    } finally {
      await this.#linux.close();
      await this.#recorder.stop();
      await this.#runtime.close();
    }
  }
}

async function configurationOf(
  { nodeName, runtime, directory, owner, resolvConf }: EmbeddedNodeOptions,
  driver: 'cgroupfs' | 'systemd',
): Promise<NodeConfiguration> {
  const systemd = driver === 'systemd' ? new Systemd() : undefined;
  const cgroups = await findCgroups({ driver, ...(systemd && { systemd }) });
  const root = newCgroupName([], `coxswain-${owner}`);
  await cgroups.create(root, {});
  await systemd?.close();
  const flags = withDefaults(nodeFlags, { rootDir: `${directory}/kubelet`, certDir: `${directory}/pki` });
  const config = completeConfiguration({
    containerRuntimeEndpoint: runtime.endpoint,
    podLogsDir: `${directory}/logs`,
    cgroupDriver: driver,
    ...(resolvConf !== undefined && { resolvConf }),
    ...(runtime.isShared && { imageGCHighThresholdPercent: 100 }),
  });
  const configuration = nodeConfiguration(nodeName, flags, config);
  return { ...configuration, cgroups: { ...configuration.cgroups, driver, root: `/${root.join('/')}` } };
}

interface RemoveNodeOptions extends Pick<EmbeddedNodeOptions, 'runtime' | 'owner' | 'directory' | 'clock' | 'random'> {}

/**
 * Removes all pods of a node whose kubelet does not run, and unmounts their volumes. For a cluster that is deleted. Rejects if the runtime
 * does not answer.
 */
export async function removeEmbeddedNode(options: RemoveNodeOptions): Promise<void> {
  const { runtime: source, owner, directory, clock = systemClock, random = systemRandom } = options;
  const environment = { clock, random, logger: silentLogger };
  const { runtime, close } = ownedRuntime(await source.open(environment), { [ownerLabel]: owner });
  try {
    const { items } = await runtime.listPodSandbox({});
    for (const { id: podSandboxId } of items) {
      await runtime.stopPodSandbox({ podSandboxId });
      await runtime.removePodSandbox({ podSandboxId });
    }
  } finally {
    await close();
  }
  await source.clear?.();
  const commands = new HelperCommands();
  try {
    const mounter = new UtilLinuxMounter(commands);
    for (const { mountPoint } of await mounter.mountsBelow(directory)) await mounter.unmount(mountPoint);
  } finally {
    commands.close();
  }
  for (const driver of ['cgroupfs', 'systemd'] as const) {
    const systemd = driver === 'systemd' ? new Systemd() : undefined;
    const cgroups = await findCgroups({ driver, ...(systemd && { systemd }) }).catch(() => undefined);
    // Without systemd, none of its slices is there.
    await cgroups?.destroy(newCgroupName([], `coxswain-${owner}`)).catch(() => {});
    await systemd?.close();
  }
}
