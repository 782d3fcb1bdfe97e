import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface DaemonOptions {
  /** Of the log file. */
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The file by which it gets into its cgroup, where it is found to be ended. */
  readonly cgroupProcs: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Programs that go on running when this process ends. They are ended by their cgroups. */
export class Daemons {
  readonly #logs: string;
  readonly #lost = new AbortController();

  /** Logs are written to the folder. */
  constructor(logs: string) {
    this.#logs = logs;
  }

  /** Aborted when a program has ended, with its last output. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Starts a program. Returns its process id. Rejects when it cannot be started at all. */
  async start({ name, command, cgroupProcs, env }: DaemonOptions): Promise<number> {
    const log = join(this.#logs, `${name}.log`);
    const file = await open(log, 'a');
    try {
      // The shell becomes the program, so that the process id is the program's.
      const child = spawn('sh', ['-c', 'echo $$ > "$0" && exec "$@"', cgroupProcs, ...command], {
        stdio: ['ignore', file.fd, file.fd],
        detached: true,
        env,
      });
      const { pid } = await spawned(child);
      child.once('exit', (status, signal) => void this.#onExit(`${name} ended (${signal ?? status})`, log));
      child.unref();
      return pid;
    } finally {
      await file.close();
    }
  }

  async #onExit(what: string, log: string): Promise<void> {
    const text = await readFile(log, 'utf8').catch(() => '');
    this.#lost.abort(new Error(`${what}: ${text.slice(-1500).trim()}`));
  }
}

async function spawned(child: ChildProcess): Promise<{ pid: number }> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  if (child.pid === undefined) throw new Error('a started program has no process id');
  return { pid: child.pid };
}
