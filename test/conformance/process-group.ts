import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

export interface ProcessGroupOptions {
  /** The file for all output. */
  readonly log: string;
  readonly onOutput?: (text: string) => void;
}

/** A program with its child processes, which are stopped together. Their output goes to a file. */
export class ProcessGroup {
  /** Resolves with the exit status, null after a signal. Rejects when the program does not start. */
  readonly ended: Promise<number | null>;
  /** The process id of the program, which is also the group's; undefined when it did not start. */
  readonly pid: number | undefined;
  readonly #child: ChildProcess;

  constructor(program: string, args: readonly string[], { log, onOutput }: ProcessGroupOptions) {
    // Its own process group, so that an interrupt at the terminal only reaches this process, which then stops the
    // others in order.
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

  /** Sends SIGTERM, and SIGKILL after the grace period. Does nothing when it has ended. */
  async stop(graceMs: number): Promise<void> {
    this.#signal('SIGTERM');
    const insist = setTimeout(() => this.#signal('SIGKILL'), graceMs);
    await this.ended.catch(() => undefined);
    clearTimeout(insist);
    // Child processes may outlive the program.
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
