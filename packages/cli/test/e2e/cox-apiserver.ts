import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoxProcess } from './cox-process.ts';

/** The flags of the kube-apiserver of the recordings; see `record.ts`. */
const flags = [
  '--disable-admission-plugins=ServiceAccount',
  '--service-cluster-ip-range=10.96.0.0/16',
  '--enable-bootstrap-token-auth',
  '--allow-privileged',
];

/** A `cox apiserver` in another process, on a free port, in memory. */
export class CoxApiServer {
  /** The kubeconfig that it wrote. */
  readonly kubeconfig: string;
  /** Its data directory, with the certificates in `pki`. */
  readonly directory: string;
  /** The port it listens on. */
  readonly port: number;
  readonly #process: CoxProcess;

  private constructor(directory: string, cox: CoxProcess) {
    this.directory = directory;
    this.#process = cox;
    this.kubeconfig = join(directory, 'admin.kubeconfig');
    this.port = Number(/:(\d+),/.exec(cox.out)?.[1]);
  }

  /** Resolves when it is ready. Rejects with its output if it ends before. */
  static async start(...further: readonly string[]): Promise<CoxApiServer> {
    const directory = mkdtempSync(join(tmpdir(), 'cox-e2e-server-'));
    const place = ['--memory', `--data-dir=${directory}`, '--bind-address=127.0.0.1', '--secure-port=0'];
    const cox = new CoxProcess(['apiserver', ...place, ...flags, ...further]);
    try {
      await cox.says(/is ready at .*\n/);
    } catch (error) {
      rmSync(directory, { recursive: true });
      throw error;
    }
    return new CoxApiServer(directory, cox);
  }

  /** Stops it gracefully. */
  async stop(): Promise<void> {
    await this.#process.stop();
    rmSync(this.directory, { recursive: true });
  }
}
