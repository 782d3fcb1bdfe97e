import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoxProcess } from '../cox-process.ts';
import { Shell } from '../shell.ts';

/** A `cox up --memory` in another process, on a free port, with a shell that has its kubeconfig. */
export class CoxUp {
  readonly shell: Shell;
  readonly #process: CoxProcess;
  readonly #directory: string;

  private constructor(cox: CoxProcess, directory: string) {
    this.#process = cox;
    this.#directory = directory;
    this.shell = new Shell(join(directory, 'kubeconfig'));
  }

  /** Resolves when the cluster is ready. */
  static async start(...flags: readonly string[]): Promise<CoxUp> {
    const directory = mkdtempSync(join(tmpdir(), 'cox-e2e-up-'));
    const place = [`--data-dir=${directory}`, `--kubeconfig=${join(directory, 'kubeconfig')}`, '--port=0'];
    const cox = new CoxProcess(['up', '--memory', ...place, ...flags]);
    try {
      await cox.says(/is ready at/);
    } catch (error) {
      rmSync(directory, { recursive: true });
      throw error;
    }
    return new CoxUp(cox, directory);
  }

  async stop(): Promise<void> {
    this.shell.close();
    await this.#process.stop();
    rmSync(this.#directory, { recursive: true });
  }
}
