import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Target } from '../apiserver/target.ts';

const clockTicksPerSecond = 100;

/** A controller manager in its own process, connected to an API server. */
export class Manager {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #directory: string;

  private constructor(name: string, child: ChildProcess, directory: string) {
    this.name = name;
    this.#child = child;
    this.#directory = directory;
  }

  /** Starts a manager. Both get the same flags, with a client rate limit that is high enough to have no effect. */
  static async start(name: string, command: readonly string[], { port, token }: Target): Promise<Manager> {
    const directory = await mkdtemp(join(tmpdir(), 'bench-controllers-'));
    const kubeconfig = join(directory, 'kubeconfig');
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { token } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    await writeFile(kubeconfig, JSON.stringify(config), { mode: 0o600 });
    const [program, ...args] = command as [string, ...string[]];
    const flags = [
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--kube-api-qps=5000',
      '--kube-api-burst=5000',
    ];
    const child = spawn(program, [...args, ...flags], { stdio: 'ignore' });
    return new Manager(name, child, directory);
  }

  cpuMs(): number {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / clockTicksPerSecond;
  }

  rssMiB(): number {
    const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8'));
    return Number(line?.[1] ?? 0) / 1024;
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await gone;
    await rm(this.#directory, { recursive: true });
  }
}
