import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const cox = fileURLToPath(new URL('cox.ts', import.meta.url));

export interface CoxProcessOptions {
  /** The environment; this process's by default. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A `cox` command in another process. */
export class CoxProcess {
  out = '';
  /** The end of standard error, at most 20,000 characters. */
  err = '';
  readonly pid: number;
  /** Resolves with the exit status; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  #onOutput: () => void = () => {};

  constructor(args: readonly string[], { env = process.env }: CoxProcessOptions = {}) {
    const node = ['--conditions=coxswain-source', '--import=tsx', cox];
    const child = spawn(process.execPath, [...node, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { COX_RUNTIME: 'hollow', ...env },
    });
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

  /**
   * Resolves when its output on either stream matches. Rejects with the output if it ends before. Only one call may
   * wait at a time.
   */
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

  /** Stops the process with a signal; does nothing when it has ended. Returns the exit status, null after SIGKILL. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    return await this.ended;
  }
}
