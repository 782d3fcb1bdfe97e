import { resolve } from 'node:path';
import type { Terminal } from '../main.ts';
import { newLogger, runUntilStopped, type ServerLogger, type ServerProcess } from '../server-process.ts';
import { ClusterDirectory } from './cluster-directory.ts';
import { toldOnce } from './told-once.ts';
import { addContext, checkContext, contextName, removeContext, type UserKubeconfig } from './user-kubeconfig.ts';

export interface UpOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly kubeconfig?: string;
  readonly nodes: number;
  readonly memory: boolean;
}

/** `cox up`: a cluster in this process, until a signal comes. Throws what stands in its way. */
export async function up(options: UpOptions, terminal: Terminal, process: ServerProcess): Promise<void> {
  const directory = new ClusterDirectory(options.dataDir);
  const holder = await directory.holder();
  if (holder !== undefined)
    throw new Error(
      `process ${holder} runs a cluster in ${directory.path} already; cox down stops it, and --data-dir names another directory`,
    );
  const lock = await directory.claim();
  const progress = (message: string): void => terminal.err(`${message}\n`);
  const logger = toldOnce(quiet(newLogger(terminal, () => new Date())), () => performance.now());
  try {
    await runUntilStopped(process, { ...logger, info: progress }, (signal) =>
      run(options, directory, { terminal, process, progress, logger, signal }),
    );
  } finally {
    await lock.release();
  }
}

interface Surroundings {
  readonly terminal: Terminal;
  readonly process: ServerProcess;
  readonly progress: (message: string) => void;
  readonly logger: ServerLogger;
  readonly signal: AbortSignal;
}

async function run(options: UpOptions, directory: ClusterDirectory, surroundings: Surroundings): Promise<void> {
  const { terminal, process, progress, logger, signal } = surroundings;
  const { memory, port, nodes } = options;
  const user: UserKubeconfig = { path: options.kubeconfig && resolve(options.kubeconfig), env: process.env };
  // Before anything is started.
  await checkContext(user);
  // What an earlier one said, which may have been killed, holds no longer.
  await directory.unwrite();
  progress(memory ? 'starting a cluster that keeps nothing' : `starting the cluster of ${directory.path}`);
  // Loaded now: whoever is refused need not wait for it.
  const { Cluster } = await import('@coxswain/cluster');
  const cluster = await Cluster.start({
    ...(!memory && { dataDir: directory.path }),
    port,
    nodes,
    logger,
    stopDelayMs: 250,
  });
  const [url, admin] = [cluster.url ?? '', cluster.kubeconfig ?? ''];
  let hasContext = false;
  try {
    progress(`the API server answers; starting controllers, scheduler and ${nodes} hollow nodes`);
    await cluster.whenReady(signal);
    const kubeconfig = await addContext(admin, user);
    hasContext = true;
    await directory.write({ url, memory, startedAt: new Date().toISOString(), kubeconfig }, admin);
    // Whoever has asked it to stop meanwhile does not want to hear of it.
    if (!signal.aborted) terminal.out(`cluster is ready at ${url}, context ${contextName} in ${kubeconfig}\n`);
    await aborted(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    if (memory) {
      await directory.unwrite();
      if (hasContext)
        await removeContext(admin, user).catch((error: unknown) => logger.error('the context stays', error));
    }
    await cluster.stop();
  }
}

/** What goes on inside is told by `kubectl get events`; here only what is wrong. */
const quiet = (logger: ServerLogger): ServerLogger => ({ ...logger, info: () => {} });

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
