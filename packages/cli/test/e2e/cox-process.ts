import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const cox = fileURLToPath(new URL('cox.ts', import.meta.url));

export interface CoxProcessOptions {
  /** Instead of this process's own. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Any `cox` in a process of its own. */
export class CoxProcess {
  out = '';
  /** The end of it, if it is long. */
  err = '';
  readonly pid: number;
  /** Its exit status, once it has ended; null if a signal ended it. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  #onOutput: () => void = () => {};

  constructor(args: readonly string[], { env = process.env }: CoxProcessOptions = {}) {
    const node = ['--conditions=coxswain-source', '--import=tsx', cox];
    const child = spawn(process.execPath, [...node, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.#child = child;
    this.pid = child.pid ?? 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
      this.#onOutput();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.err = (this.err + text).slice(-20_000);
      this.#onOutput();
    });
    this.ended = once(child, 'close').then(([status]: (number | null)[]) => status ?? null);
  }

  /** Resolves when what it wrote to either stream matches; rejects with that if it ends before. One waits at a time. */
  async says(pattern: RegExp): Promise<void> {
    const said = (): boolean => pattern.test(this.out) || pattern.test(this.err);
    await new Promise<void>((resolve, reject) => {
      this.#onOutput = () => said() && resolve();
      this.#onOutput();
      this.ended.then((status) => {
        const problem = `cox ended with ${status} before it said ${pattern}: ${this.out}${this.err}`;
        if (!said()) reject(new Error(problem));
      }, reject);
    });
  }

  /** Harmless when it has ended. Gives the exit status, null after SIGKILL. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    return await this.ended;
  }
}
