import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ProcessStatus, processStatus } from './process-status.ts';

const cox = fileURLToPath(new URL('../../packages/cli/bin/cox.js', import.meta.url));
const probe = new URL('probe.js', import.meta.url).href;
const stopGraceMs = 20_000;

export interface WatchedClusterOptions {
  /** The folder for its data and its kubeconfig. */
  readonly folder: string;
  readonly log: string;
  readonly memory: boolean;
  readonly nodes: number;
  /** Further flags of Node. */
  readonly nodeFlags: readonly string[];
}

/** The process's report of its own memory, in bytes. */
interface HeapStatus {
  readonly heapUsed: number;
  readonly heapTotal: number;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly cpuSeconds: number;
}

/** `cox up` in another process, whose heap can be measured. */
export class WatchedCluster {
  readonly kubeconfig: string;
  /** Resolves with the exit status when the process has ended. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, kubeconfig: string) {
    this.#child = child;
    this.kubeconfig = kubeconfig;
    this.ended = new Promise((resolve) => child.once('exit', resolve));
  }

  /** Resolves when the cluster is ready. */
  static async start({ folder, log, memory, nodes, nodeFlags }: WatchedClusterOptions): Promise<WatchedCluster> {
    const kubeconfig = join(folder, 'kubeconfig');
    const flags = [
      '--data-dir',
      join(folder, 'data'),
      '--kubeconfig',
      kubeconfig,
      '--port',
      '0',
      '--runtime',
      'hollow',
      '--nodes',
      `${nodes}`,
    ];
    const args = ['--expose-gc', ...nodeFlags, '--import', probe, cox, 'up', ...flags, ...(memory ? ['--memory'] : [])];
    // Its own process group, so that Ctrl-C only reaches the soak, which then stops the cluster.
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true });
    const cluster = new WatchedCluster(child, kubeconfig);
    const file = createWriteStream(log);
    let said = '';
    const ready = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => {
          file.write(text);
          said = (said + text).slice(-2000);
          if (said.includes('cluster is ready')) resolve();
        });
    });
    const ended = cluster.ended.then((status) => {
      throw new Error(`cox up ended with ${status}: ${said}`);
    });
    await Promise.race([ready, ended]);
    // Later calls reject when it has ended; this promise must not cause an unhandled rejection.
    ended.catch(() => {});
    return cluster;
  }

  get process(): ProcessStatus {
    return processStatus(this.#child.pid ?? 0);
  }

  heap({ collect }: { readonly collect: boolean }): Promise<HeapStatus> {
    return this.#ask({ collect });
  }

  async writeHeapSnapshot(file: string): Promise<void> {
    await this.#ask({ collect: true, snapshot: file });
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const insist = setTimeout(() => this.#child.kill('SIGKILL'), stopGraceMs);
    await this.ended;
    clearTimeout(insist);
  }

  /** Sends a message and resolves with the answer. Only one call at a time. */
  #ask(question: object): Promise<HeapStatus> {
    return new Promise((resolve, reject) => {
      this.#child.once('message', (answer) => resolve(answer as HeapStatus));
      this.ended.then(() => reject(new Error('the cluster has ended')));
      this.#child.send(question);
    });
  }
}
