import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A `cox controller-manager` in a process of its own. */
export class CoxControllerManager {
  /** Resolves when it leads and works. */
  readonly works: Promise<void>;
  readonly #child: ChildProcess;
  #log = '';

  constructor(...flags: readonly string[]) {
    const cox = fileURLToPath(new URL('cox.ts', import.meta.url));
    const node = ['--conditions=coxswain-source', '--import=tsx', cox];
    this.#child = spawn(process.execPath, [...node, 'controller-manager', ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-10_000);
    });
    this.works = new Promise<void>((resolve, reject) => {
      this.#child.stdout!.on('data', () => resolve());
      this.#child.once('close', () => reject(new Error(`cox controller-manager ended: ${this.#log}`)));
    });
    // Who never leads never works, and nobody need hear of it.
    this.works.catch(() => {});
  }

  /** In good order; gives the exit status. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const exited = once(this.#child, 'close');
    this.#child.kill(signal);
    const [status] = (await exited) as [number | null];
    return status;
  }
}
