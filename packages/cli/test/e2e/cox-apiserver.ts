import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** As the kube-apiserver of the recordings was started; see `record.ts`. */
const flags = [
  '--disable-admission-plugins=ServiceAccount',
  '--service-cluster-ip-range=10.96.0.0/16',
  '--enable-bootstrap-token-auth',
  '--allow-privileged',
];

/** A `cox apiserver` in a process of its own, on a free port, over memory. */
export class CoxApiServer {
  /** The one that it wrote. */
  readonly kubeconfig: string;
  /** Where its certificates are: `pki`. */
  readonly directory: string;
  /** Where it listens, once it does. */
  port = 0;
  readonly #child: ChildProcess;

  private constructor(directory: string, child: ChildProcess) {
    this.directory = directory;
    this.#child = child;
    this.kubeconfig = join(directory, 'admin.kubeconfig');
  }

  /** Resolves when it is ready; rejects with what it said if it ends before. */
  static async start(...further: readonly string[]): Promise<CoxApiServer> {
    const directory = mkdtempSync(join(tmpdir(), 'cox-e2e-server-'));
    const cox = fileURLToPath(new URL('cox.ts', import.meta.url));
    const place = ['--memory', `--data-dir=${directory}`, '--bind-address=127.0.0.1', '--secure-port=0'];
    const node = ['--conditions=coxswain-source', '--import=tsx', cox];
    const child = spawn(process.execPath, [...node, 'apiserver', ...place, ...flags, ...further], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const server = new CoxApiServer(directory, child);
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000);
    });
    try {
      await new Promise<void>((resolve, reject) => {
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          server.port = Number(/:(\d+),/.exec(text)?.[1]);
          resolve();
        });
        child.on('error', reject).on('close', () => reject(new Error(`cox apiserver ended: ${log}`)));
      });
    } catch (error) {
      rmSync(directory, { recursive: true });
      throw error;
    }
    return server;
  }

  /** Stops in good order. */
  async stop(): Promise<void> {
    const exited = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    await exited;
    rmSync(this.directory, { recursive: true });
  }
}
