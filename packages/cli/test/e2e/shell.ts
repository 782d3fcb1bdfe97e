import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinary } from './binaries.ts';
import { normalise } from './normalise.ts';

const timeoutMs = 40_000;

/**
 * Runs command lines in a temporary directory, like a user with a terminal and a kubeconfig. Provides `await` and `try`
 * of `tools` for effects that take a moment.
 */
export class Shell {
  readonly #directory: string;
  readonly #env: NodeJS.ProcessEnv;
  /** Process groups that a command left running in the background. */
  readonly #groups = new Set<number>();

  constructor(kubeconfig: string) {
    this.#directory = mkdtempSync(join(tmpdir(), 'cox-e2e-'));
    // A copy, because commands may change the current context.
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

  /** Returns the normalised output of a command line on both streams, with `[exit N]` if it fails. */
  async run(command: string): Promise<string> {
    const child = spawn('bash', ['-c', `exec 2>&1\n${command}`], {
      cwd: this.#directory,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
      // Its own process group, which can be killed as a whole.
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

  /** Kills processes that still run, and removes the directory. */
  close(): void {
    for (const group of this.#groups) signalGroup(group, 'SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Sends a signal to a process group. Returns whether the group exists. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
