import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClientSet, RESTClient } from '@coxswain/client';
import { loadRestConfig } from '@coxswain/client/kubeconfig';

const cox = fileURLToPath(new URL('../../../packages/cli/bin/cox.js', import.meta.url));
const clockTicksPerSecond = 100;

/** `cox up --memory` in another process. */
export class RunningCluster {
  readonly clients: ClientSet;
  /** Of an administrator. */
  readonly kubeconfig: string;
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #started: number;

  private constructor(clients: ClientSet, child: ChildProcess, directory: string, started: number) {
    this.clients = clients;
    this.kubeconfig = kubeconfigIn(directory);
    this.#child = child;
    this.#directory = directory;
    this.#started = started;
  }

  /** Starts a cluster with so many hollow nodes. Ctrl-C at the terminal does not reach it when it is detached. */
  static async start(count: number, { detached = false } = {}): Promise<RunningCluster> {
    const directory = await mkdtemp(join(tmpdir(), 'bench-cluster-'));
    const kubeconfig = kubeconfigIn(directory);
    const started = performance.now();
    const args = [
      'up',
      '--memory',
      '--port=0',
      '--runtime=hollow',
      `--nodes=${count}`,
      `--kubeconfig=${kubeconfig}`,
      `--data-dir=${directory}`,
    ];
    const child = spawn(cox, args, { stdio: ['ignore', 'pipe', 'ignore'], detached });
    await new Promise<void>((resolve, reject) => {
      child.stdout!.once('data', () => resolve());
      child.once('exit', (code) => reject(new Error(`cox up has ended with ${code}`)));
    });
    const rest = RESTClient.forConfig({ ...(await loadRestConfig({ path: kubeconfig })), qps: 0 });
    return new RunningCluster(new ClientSet(rest), child, directory, started);
  }

  get sinceStartMs(): number {
    return performance.now() - this.#started;
  }

  cpuMs(): number {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / clockTicksPerSecond;
  }

  rssMiB(): number {
    const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8'));
    return Math.round(Number(line?.[1] ?? 0) / 1024);
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await gone;
    await this.clients.rest.close();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

const kubeconfigIn = (directory: string): string => join(directory, 'kubeconfig');
