import { Cluster } from '@coxswain/cluster';
import type { Terminal } from '../main.ts';
import { newLogger, runUntilStopped, type ServerLogger, type ServerProcess } from '../server-process.ts';
import { ClusterDirectory } from './cluster-directory.ts';
import { addContext, contextName, removeContext, type UserKubeconfig } from './user-kubeconfig.ts';

export interface UpOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly kubeconfig?: string;
  readonly nodes: number;
  readonly memory: boolean;
}

/** `cox up`: a cluster in this process, until a signal comes. Throws what stands in its way. */
export async function up(options: UpOptions, terminal: Terminal, process: ServerProcess, pid: number): Promise<void> {
  const directory = new ClusterDirectory(options.dataDir);
  const other = await directory.running();
  if (other)
    throw new Error(
      `process ${other.pid} runs a cluster there already, at ${other.url}; cox down stops it, and --data-dir names another directory`,
    );
  const progress = (message: string): void => terminal.err(`${message}\n`);
  const logger = quiet(newLogger(terminal, () => new Date()));
  await runUntilStopped(process, { ...logger, info: progress }, async (signal) => {
    const { memory, port, nodes } = options;
    progress(memory ? 'starting a cluster that keeps nothing' : `starting the cluster of ${directory.path}`);
    const cluster = await Cluster.start({ ...(!memory && { dataDir: directory.path }), port, nodes, logger });
    const user: UserKubeconfig = { path: options.kubeconfig, env: process.env };
    try {
      progress(`the API server answers; starting controllers, scheduler and ${nodes} hollow nodes`);
      await cluster.whenReady(signal);
      const [url, admin] = [cluster.url ?? '', cluster.kubeconfig ?? ''];
      const kubeconfig = await addContext(admin, user);
      await directory.write({ pid, url, memory, startedAt: new Date().toISOString(), kubeconfig }, admin);
      terminal.out(`cluster is ready at ${url}, context ${contextName} in ${kubeconfig}\n`);
      await aborted(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await cluster.stop();
      await directory.release();
      if (memory) await removeContext(user);
    }
  });
}

/** What goes on inside is told by `kubectl get events`; here only what is wrong. */
const quiet = (logger: ServerLogger): ServerLogger => ({ ...logger, info: () => {} });

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
