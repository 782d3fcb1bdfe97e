import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, repeat, systemClock, type Timer } from '@coxswain/apimachinery/clock';
import { type Logger, silentLogger } from '@coxswain/apimachinery/log';
import { type Random, systemRandom } from '@coxswain/apimachinery/random';
import { KeyedTurns } from '@coxswain/apimachinery/turns';
import type { RuntimeServiceHandlers } from '@coxswain/cri';
import { type CgroupManager, type Commands, findCgroups, Systemd } from '@coxswain/linux';
import type { ImageStore } from './images/image-store.ts';
import type { RootFileSystems } from './images/root-file-systems.ts';
import {
  containerExited,
  noticeEndOfInit,
  noticeLostContainer,
  type RuntimeContext,
  recover,
} from './lifecycle/index.ts';
import { ContainerMonitor, ExitFiles, OciRuntime } from './machinery/index.ts';
import { ContainerEvents, FoundById, RecordDirectory, ReservedNames } from './model/index.ts';
import { PinnedNamespaces } from './namespaces/pinned-namespaces.ts';
import type { PodNetwork } from './network/pod-network.ts';
import { cgroupAbilities, type NodeFacts, ownCapabilities, securityModules } from './oci/index.ts';
import { ProcessLauncher } from './processes/index.ts';
import { findPrograms } from './programs.ts';
import { runtimeServiceHandlers } from './service/index.ts';
import { StreamingServer } from './streaming/index.ts';

export interface ContainerRuntimeOptions {
  /** Records and files that survive a reboot. One process at a time may use it: the caller has its lock. */
  readonly root: string;
  /** Sockets, pipes, mounts: on a file system that is empty after a reboot. A short path, because Unix sockets are in it. */
  readonly state: string;
  readonly images: ImageStore;
  readonly rootFileSystems: RootFileSystems;
  readonly network: PodNetwork;
  /** Closed by whoever has made them. */
  readonly commands: Commands;
  /** What the runtime calls itself in CRI's Version. */
  readonly version: string;
  readonly cgroupDriver?: 'cgroupfs' | 'systemd';
  /** Where exec, attach and port-forward are served. By default any port of loopback. */
  readonly streaming?: { readonly host?: string; readonly port?: number };
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
}

/** How often it looks for containers that ended without a notice: their monitors were killed. */
const relistMs = 10_000;
/**
 * Sandboxes and containers of a node. Closing it, or killing its process, ends no container: the next one that is started with the same
 * directories finds them all.
 */
export class ContainerRuntime {
  readonly handlers: RuntimeServiceHandlers;
  readonly #context: RuntimeContext;
  readonly #server: StreamingServer;
  readonly #relist: Timer;

  private constructor(context: RuntimeContext, server: StreamingServer, handlers: RuntimeServiceHandlers) {
    this.#context = context;
    this.#server = server;
    this.handlers = handlers;
    const { logger, exits } = context;
    const failed = (error: unknown): void => logger.error('Failed to see how a container has ended', error);
    exits.watch((exit) => void containerExited(context, exit).catch(failed), failed);
    this.#relist = repeat(context.clock, () => void this.#lookForLost().catch(failed), relistMs, { background: true });
  }

  /** Starts it: finds what an earlier process has left. Rejects if a program is missing. */
  static async start(options: ContainerRuntimeOptions): Promise<ContainerRuntime> {
    const { state, clock = systemClock, streaming = {} } = options;
    const programs = await findPrograms();
    const server = new StreamingServer({ clock, ...streaming });
    try {
      for (const name of ['bundles', 'exits', 'shm', 'runc'])
        await mkdir(join(state, name), { recursive: true, mode: 0o711 });
      const context = await makeContext(options, programs);
      await server.start();
      const ociVersion = await context.runtime.version();
      const name = { name: 'coxswain', version: options.version, ociVersion };
      const runtime = new ContainerRuntime(context, server, runtimeServiceHandlers(context, server, name));
      await recover(context);
      return runtime;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Ends all sessions, and stops looking after the containers, which go on. */
  async close(): Promise<void> {
    this.#relist.cancel();
    this.#context.exits.close();
    await this.#server.close();
    await Promise.allSettled([...this.#context.containers.values()].map(({ released }) => released));
  }

  async #lookForLost(): Promise<void> {
    for (const container of this.#context.containers.values()) await noticeLostContainer(this.#context, container);
    for (const sandbox of this.#context.sandboxes.values()) await noticeEndOfInit(this.#context, sandbox);
  }
}

async function makeContext(
  options: ContainerRuntimeOptions,
  programs: { readonly runtime: string; readonly monitor: string },
): Promise<RuntimeContext> {
  const { root, state, images, rootFileSystems, network, commands } = options;
  const { clock = systemClock, random = systemRandom, logger = silentLogger, cgroupDriver = 'cgroupfs' } = options;
  const systemd = cgroupDriver === 'systemd' ? new Systemd({ clock }) : undefined;
  const cgroups = await findCgroups({ driver: cgroupDriver, clock, ...(systemd && { systemd }) });
  const usesSystemd = cgroupDriver === 'systemd';
  const runtime = new OciRuntime({ program: programs.runtime, root: join(state, 'runc'), usesSystemd, commands });
  const exits = join(state, 'exits');
  return {
    clock,
    random,
    logger,
    commands,
    cgroups,
    images,
    rootFileSystems,
    network,
    namespaces: new PinnedNamespaces({ directory: join(state, 'namespaces'), commands }),
    runtime,
    features: await runtime.features(),
    monitor: new ContainerMonitor({
      program: programs.monitor,
      bundles: join(state, 'bundles'),
      exits,
      runtime,
      commands,
    }),
    exits: new ExitFiles(exits),
    launcher: new ProcessLauncher({ directory: join(state, 'processes'), commands, random }),
    node: await nodeFacts(cgroups),
    paths: { root, state },
    sandboxes: new FoundById('sandbox'),
    sandboxRecords: new RecordDirectory(join(root, 'sandboxes')),
    sandboxNames: new ReservedNames(),
    containers: new FoundById('container'),
    containerRecords: new RecordDirectory(join(root, 'containers')),
    containerNames: new ReservedNames(),
    events: new ContainerEvents(),
    turns: new KeyedTurns(),
  };
}

async function nodeFacts({ version }: CgroupManager): Promise<NodeFacts> {
  const capabilities = await ownCapabilities();
  const own = Number(await readFile('/proc/self/oom_score_adj', 'utf8'));
  return {
    architecture: process.arch,
    capabilities,
    cgroups: await cgroupAbilities(version),
    security: await securityModules(),
    // Without this capability, the kernel refuses a lower value than the one of this process.
    lowestOomScoreAdj: capabilities.includes('CAP_SYS_RESOURCE') ? undefined : own,
  };
}
