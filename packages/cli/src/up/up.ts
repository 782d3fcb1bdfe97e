import { resolve } from 'node:path';
import { type LogSink, newLogger } from '@coxswain/apimachinery/log';
import type { ApiServerOptions } from '@coxswain/apiserver';
import type { Logger } from '@coxswain/client';
import { componentLogging } from '@coxswain/component-base/logs';
import type { Terminal } from '../main.ts';
import { runUntilStopped, type ServerProcess } from '../server-process.ts';
import { choosePort, usualPort } from './choose-port.ts';
import type { ClusterDirectory } from './cluster-directory.ts';
import { commandFor } from './cluster-flags.ts';
import { contextNameOf } from './cluster-name.ts';
import { mend } from './mend.ts';
import { nodesOf, removePods } from './node-runtime.ts';
import { type RuntimeChoice, recordOf } from './runtime-choice.ts';
import { toldOnce } from './told-once.ts';
import { addContext, checkContext, leaveContext, removeContext, type UserKubeconfig } from './user-kubeconfig.ts';

export interface UpOptions {
  readonly name: string;
  readonly directory: ClusterDirectory;
  /** 0 for a free port; undefined for the usual one, or a free one when that is taken. */
  readonly port: number | undefined;
  readonly kubeconfig: string | undefined;
  readonly runtime: RuntimeChoice;
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
  const record = recordOf(runtime);
  if (record !== undefined) await directory.recordRuntime(record);
  const cluster = await Cluster.start({
    components: defaultComponents({
      apiServer: { ...(!memory && { dataDir: directory.path }), port, flags: joinable(apiServer) },
      nodesMayJoin: mayJoin(apiServer),
    }),
    nodes: await nodesOf({ ...options, env: process.env }),
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
    // Nothing of the cluster is left, so its pods would run without anybody who knows of them.
    if (memory)
      await removePods(directory, runtime).catch((error: unknown) =>
        logger.error('Failed to remove the pods of the node', error),
      );
  }
}

/** A cluster that other machines can reach takes them as nodes, with bootstrap tokens, unless its flags say otherwise. */
function mayJoin({ bindAddress, enableBootstrapTokenAuth }: ApiServerOptions): boolean {
  return enableBootstrapTokenAuth ?? (bindAddress !== undefined && !isLoopback(bindAddress));
}

const joinable = (options: ApiServerOptions): ApiServerOptions =>
  mayJoin(options) ? { enableBootstrapTokenAuth: true, ...options } : options;

const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.');

const nodesText = ({ runtime, nodes }: UpOptions): string =>
  [
    ...(runtime.kind === 'hollow' ? [] : ['this machine as a node']),
    ...(runtime.kind !== 'hollow' && nodes === 0 ? [] : [`${nodes} hollow nodes`]),
  ].join(' and ');

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
