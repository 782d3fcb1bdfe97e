import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinary } from './binaries.ts';
import { normalise } from './normalise.ts';

const timeoutMs = 40_000;

/**
 * Runs command lines in a directory of its own, as one who sits before a terminal and has a kubeconfig; and `await` and
 * `try` of `tools`, for what takes a moment.
 */
export class Shell {
  readonly #directory: string;
  readonly #env: NodeJS.ProcessEnv;
  /** Groups of processes that a command left running in the background. */
  readonly #groups = new Set<number>();

  constructor(kubeconfig: string) {
    this.#directory = mkdtempSync(join(tmpdir(), 'cox-e2e-'));
    // A copy: commands may change what context it is in.
    const own = join(this.#directory, '.kubeconfig');
    copyFileSync(kubeconfig, own);
    const tools = join(this.#directory, '.bin');
    mkdirSync(tools);
    for (const name of ['kubectl', 'helm'] as const) {
      const path = findBinary(name);
      if (path) symlinkSync(path, join(tools, name));
    }
    for (const name of ['await', 'try'])
      symlinkSync(fileURLToPath(new URL(`tools/${name}`, import.meta.url)), join(tools, name));
    this.#env = {
      PATH: [tools, dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: this.#directory,
      TMPDIR: this.#directory,
      KUBECONFIG: own,
      LC_ALL: 'C',
      TZ: 'UTC',
    };
  }

  /** What a command line prints to both streams, normalised, and `[exit N]` if it fails. */
  async run(command: string): Promise<string> {
    const child = spawn('bash', ['-c', `exec 2>&1\n${command}`], {
      cwd: this.#directory,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
      // A group of its own, which ends as a whole.
      detached: true,
    });
    const timer = setTimeout(() => child.pid && signalGroup(child.pid, 'SIGKILL'), timeoutMs);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const status = await new Promise<number | string>((resolve, reject) => {
      child.on('error', reject).on('close', (code, signal) => resolve(code ?? signal ?? ''));
    });
    clearTimeout(timer);
    if (child.pid && signalGroup(child.pid, 0)) this.#groups.add(child.pid);
    return normalise(status === 0 ? output : `${output.trimEnd()}\n[exit ${status}]`).trimStart();
  }

  /** Ends what still runs, and removes the directory. */
  close(): void {
    for (const group of this.#groups) signalGroup(group, 'SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Whether there is such a group. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
