import { type ChildProcess, spawn } from 'node:child_process';

/** The end of a process: its exit status, or the name of a signal. */
export type End = number | string;

/** A program that a scenario starts and kills. Its output is kept. */
export class KilledProcess {
  readonly #child: ChildProcess;
  #said = '';
  #onSaid: () => void = () => {};
  readonly ended: Promise<End>;

  constructor([program = '', ...args]: readonly string[]) {
    this.#child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (data: Buffer) => {
        this.#said = (this.#said + data).slice(-20_000);
        this.#onSaid();
      });
    }
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (status, signal) => resolve(signal ?? status ?? -1));
    });
  }

  get said(): string {
    return this.#said;
  }

  /** Returns whether its output matched within the timeout, and before it ended. */
  async says(what: RegExp, timeoutMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const said = new Promise<void>((resolve) => {
      this.#onSaid = () => what.test(this.#said) && resolve();
      this.#onSaid();
    });
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([said, this.ended, late]);
    clearTimeout(timer);
    return what.test(this.#said);
  }

  /** Sends a signal. Returns how the process ended, which may be by another cause. */
  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<End> {
    this.#child.kill(signal);
    return this.ended;
  }
}

/** Returns a generator of numbers from 0 to 1 that depend only on the seed. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    // The generator of Park and Miller.
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
