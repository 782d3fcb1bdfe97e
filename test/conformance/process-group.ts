import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

export interface ProcessGroupOptions {
  /** Gets all it writes. */
  readonly log: string;
  readonly onOutput?: (text: string) => void;
}

/** A program with all that it starts, which end together; what they say goes to a file. */
export class ProcessGroup {
  /** The exit status, null after a signal; rejects when the program does not start. */
  readonly ended: Promise<number | null>;
  /** Of the program, and so of the group; absent when it did not start. */
  readonly pid: number | undefined;
  readonly #child: ChildProcess;

  constructor(program: string, args: readonly string[], { log, onOutput }: ProcessGroupOptions) {
    // A group of its own, so that an interrupt at the terminal reaches us alone, and we end the others in order.
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const file = createWriteStream(log);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => onOutput?.(text));
      stream.pipe(file, { end: false });
    }
    this.#child = child;
    this.pid = child.pid;
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status) => {
        file.end();
        finished(file).then(() => resolve(status), reject);
      });
    });
  }

  /** Asks, and after the grace insists. Harmless when it has ended. */
  async stop(graceMs: number): Promise<void> {
    this.#signal('SIGTERM');
    const insist = setTimeout(() => this.#signal('SIGKILL'), graceMs);
    await this.ended.catch(() => undefined);
    clearTimeout(insist);
    // The program may have gone before what it started.
    this.#signal('SIGKILL');
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}
