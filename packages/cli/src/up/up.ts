import { resolve } from 'node:path';
import { type LogSink, newLogger } from '@coxswain/apimachinery/log';
import type { ApiServerOptions } from '@coxswain/apiserver';
import type { Logger } from '@coxswain/client';
import type { NodeProvider } from '@coxswain/cluster';
import { componentLogging } from '@coxswain/component-base/logs';
import type { Terminal } from '../main.ts';
import { runUntilStopped, type ServerProcess } from '../server-process.ts';
import { choosePort, usualPort } from './choose-port.ts';
import type { ClusterDirectory } from './cluster-directory.ts';
import { commandFor } from './cluster-flags.ts';
import { contextNameOf } from './cluster-name.ts';
import { mend } from './mend.ts';
import { toldOnce } from './told-once.ts';
import { addContext, checkContext, leaveContext, removeContext, type UserKubeconfig } from './user-kubeconfig.ts';

export interface UpOptions {
  readonly name: string;
  readonly directory: ClusterDirectory;
  /** 0 for a free port; undefined for the usual one, or a free one when that is taken. */
  readonly port: number | undefined;
  readonly kubeconfig: string | undefined;
  /** Socket of a container runtime, if this machine is to be a node. */
  readonly runtime: string | undefined;
  /** The number of hollow nodes. */
  readonly nodes: number;
  readonly memory: boolean;
  readonly verbosity: number;
  /** Additional options of the API server. */
  readonly apiServer: ApiServerOptions;
  /** Notices about the given flags, one per line. */
  readonly notices: readonly string[];
}

const loopback = '127.0.0.1';

/** `cox up`: runs a cluster in this process until a signal. Throws when it cannot start. */
export async function up(options: UpOptions, terminal: Terminal, process: ServerProcess): Promise<void> {
  const { name, directory } = options;
  const holder = await directory.holder();
  if (holder !== undefined)
    throw new Error(
      `process ${holder} runs a cluster in ${directory.path} already; ${commandFor('down', name)} stops it, and --data-dir names another directory`,
    );
  const lock = await directory.claim();
  const progress = (message: string): void => terminal.err(`${message}\n`);
  const logger = loggerOf(options, terminal);
  for (const notice of options.notices) progress(notice);
  try {
    await runUntilStopped(
      process,
      newLogger(({ message }) => progress(message)),
      (signal) => run(options, { terminal, process, progress, logger, signal }),
    );
  } finally {
    await lock.release();
  }
}

interface Surroundings {
  readonly terminal: Terminal;
  readonly process: ServerProcess;
  readonly progress: (message: string) => void;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

async function run(options: UpOptions, surroundings: Surroundings): Promise<void> {
  const { terminal, process, progress, logger, signal } = surroundings;
  const { name, directory, memory, runtime, apiServer } = options;
  const context = contextNameOf(name);
  const user: UserKubeconfig = { path: options.kubeconfig && resolve(options.kubeconfig), env: process.env };
  // Checked before anything is started.
  await checkContext(context, user);
  // An earlier process may have been killed; its state is no longer valid.
  const last = await directory.readableState();
  await mend(directory, process.env).catch((error: unknown) =>
    logger.error('Failed to restore the kubeconfig after an earlier process', error),
  );
  await directory.unwrite();
  progress(memory ? 'starting a cluster in memory' : `starting the cluster of ${directory.path}`);
  const usual = portOf(last?.url) ?? usualPort;
  const port = options.port ?? (await choosePort(usual, apiServer.bindAddress ?? loopback));
  if (options.port === undefined && port === 0) progress(`port ${usual} is taken; the API server uses a free one`);
  // Imported here, so that invalid calls fail without loading it.
  const { Cluster, defaultComponents } = await import('@coxswain/cluster');
  const cluster = await Cluster.start({
    components: defaultComponents({
      apiServer: { ...(!memory && { dataDir: directory.path }), port, flags: joinable(apiServer) },
      nodesMayJoin: mayJoin(apiServer),
    }),
    nodes: await nodesOf(options),
    logger,
  });
  const [url, adminKubeconfig] = [cluster.url ?? '', cluster.kubeconfig ?? ''];
  const entry = { name: context, adminKubeconfig };
  let hasContext = false;
  try {
    progress(`the API server answers; starting controllers, scheduler and ${nodesText(options)}`);
    await cluster.whenReady(signal);
    const kubeconfig = await addContext(entry, user);
    hasContext = true;
    const startedAt = new Date().toISOString();
    await directory.write(
      {
        name,
        url,
        pid: process.pid,
        memory,
        startedAt,
        kubeconfig,
        context,
        ...(runtime !== undefined && { runtime }),
      },
      adminKubeconfig,
    );
    // Not printed when the user has stopped it meanwhile.
    if (!signal.aborted) terminal.out(`cluster is ready at ${url}, context ${context} in ${kubeconfig}\n`);
    await aborted(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    if (hasContext)
      await (memory ? removeContext : leaveContext)(entry, user).catch((error: unknown) =>
        logger.error('Failed to restore the kubeconfig', error),
      );
    if (memory) await directory.unwrite();
    await cluster.stop();
    if (memory && runtime !== undefined) await removeNode(options, runtime, logger);
  }
}

/** A cluster that other machines can reach takes them as nodes, with bootstrap tokens, unless its flags say otherwise. */
function mayJoin({ bindAddress, enableBootstrapTokenAuth }: ApiServerOptions): boolean {
  return enableBootstrapTokenAuth ?? (bindAddress !== undefined && !isLoopback(bindAddress));
}

const joinable = (options: ApiServerOptions): ApiServerOptions =>
  mayJoin(options) ? { enableBootstrapTokenAuth: true, ...options } : options;

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

/** Beside a real node, nothing is to run on a hollow one by chance. */
const hollowTaint = { key: 'hollow.coxswain.dev/node', effect: 'NoSchedule' } as const;

async function nodesOf({ runtime, nodes, directory }: UpOptions): Promise<NodeProvider> {
  const { CombinedNodeProvider, HollowNodeProvider, RealNodeProvider } = await import('@coxswain/cluster');
  const options = { stopDelayMs: 250 };
  if (runtime === undefined) return new HollowNodeProvider(nodes, options);
  if (process.platform !== 'linux') throw new Error('--runtime needs Linux: without it, cox up has hollow nodes');
  if (process.getuid?.() !== 0) throw new Error('--runtime needs root, for cgroups and mounts: try sudo');
  const real = new RealNodeProvider({ runtime, directory: directory.node, owner: directory.owner });
  if (nodes === 0) return real;
  const hollow = Array.from({ length: nodes }, (_, i) => ({ name: `hollow-${i}`, taints: [hollowTaint] }));
  return new CombinedNodeProvider([real, new HollowNodeProvider(hollow, options)]);
}

const nodesText = ({ runtime, nodes }: UpOptions): string =>
  [
    ...(runtime === undefined ? [] : ['this machine as a node']),
    ...(runtime && !nodes ? [] : [`${nodes} hollow nodes`]),
  ].join(' and ');

/** Nothing of a cluster in memory is left when it stops, so its pods would run without anybody who knows of them. */
async function removeNode({ directory }: UpOptions, endpoint: string, logger: Logger): Promise<void> {
  const { removeRealNode } = await import('@coxswain/cluster');
  await removeRealNode({ runtime: endpoint, owner: directory.owner, directory: directory.node }).catch(
    (error: unknown) => logger.error('Failed to remove the pods of the node', error),
  );
}

const portOf = (url: string | undefined): number | undefined =>
  url ? Number(new URL(url).port) || undefined : undefined;

function loggerOf({ verbosity, apiServer }: UpOptions, terminal: Terminal): Logger {
  const filter = (write: LogSink): LogSink => {
    const once = toldOnce(write, () => performance.now());
    return verbosity > 0 ? once : withoutInfos(once);
  };
  const given = { ...apiServer, v: verbosity };
  return componentLogging({ name: '', given, write: (line) => terminal.err(line), now: () => new Date(), filter })
    .logger;
}

/** Drops infos: `kubectl get events` shows the work of the cluster, the terminal only problems. */
const withoutInfos =
  (sink: LogSink): LogSink =>
  (entry) => {
    if (entry.severity !== 'info') sink(entry);
  };

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
