import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessGroup } from '../conformance/process-group.ts';

const stopGraceMs = 10_000;
const startTimeoutMs = 60_000;

export interface StartOptions {
  /** The program counts as started when its output matches. */
  readonly until?: RegExp;
}

/** The programs and files of one direction. `close` ends what was started here, in reverse order. */
export class Stage {
  /** A temporary folder for the programs' files, deleted on close. */
  readonly folder = mkdtempSync(join(tmpdir(), 'compat-'));
  /** The folder of the programs' logs, which is kept. */
  readonly logs: string;
  readonly #signal: AbortSignal;
  readonly #endings: (() => unknown)[] = [];
  /** Rejects when a program ends that should keep running. */
  readonly #collapse: Promise<never>;
  #onCollapse: (error: Error) => void = () => {};

  constructor(logs: string, signal: AbortSignal) {
    this.logs = logs;
    this.#signal = signal;
    rmSync(logs, { recursive: true, force: true });
    mkdirSync(logs, { recursive: true });
    this.#collapse = new Promise((_, reject) => {
      this.#onCollapse = reject;
    });
    // `waitFor` handles the rejection; without it, it must not be an unhandled one.
    this.#collapse.catch(() => {});
  }

  /** Registers a function to call on close, before those registered earlier. */
  atEnd(end: () => unknown): void {
    this.#endings.push(end);
  }

  /** Starts a program that runs until the stage is closed. Returns its process id. */
  async start(
    name: string,
    [program = '', ...args]: readonly string[],
    { until }: StartOptions = {},
  ): Promise<number | undefined> {
    const log = join(this.logs, `${name}.log`);
    let said = '';
    let onSaid = (): void => {};
    const started = new Promise<void>((resolve) => {
      onSaid = resolve;
    });
    const group = new ProcessGroup(program, args, {
      log,
      onOutput: (text) => {
        said = (said + text).slice(-10_000);
        if (until?.test(said)) onSaid();
      },
    });
    let isWanted = true;
    this.atEnd(() => {
      isWanted = false;
      return group.stop(stopGraceMs);
    });
    const ended = (how: unknown): void => {
      // There is no log when the program could not be started.
      const last = existsSync(log) ? readFileSync(log, 'utf8').slice(-1500).trim() : '';
      const problem = `${name} ended (${String(how)}): ${last}`;
      if (isWanted) this.#onCollapse(new Error(problem));
    };
    group.ended.then(ended, ended);
    if (until) await this.waitFor(started, `${name} to start`, startTimeoutMs);
    return group.pid;
  }

  /** Runs a program to its end. Returns its output, which is also written to the log of that name. */
  async run(name: string, [program = '', ...args]: readonly string[], timeoutMs: number): Promise<string> {
    const log = join(this.logs, `${name}.log`);
    const group = new ProcessGroup(program, args, { log });
    this.atEnd(() => group.stop(stopGraceMs));
    await this.waitFor(group.ended, `${name} to end`, timeoutMs);
    return readFileSync(log, 'utf8');
  }

  /** Waits for a promise. Rejects on the timeout, on Ctrl-C, and when a program has ended that should keep running. */
  async waitFor<T>(work: Promise<T>, what: string, timeoutMs: number): Promise<T> {
    let stopWaiting = (): void => {};
    const givenUp = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => reject(new Error(`timed out waiting for ${what}`)), timeoutMs);
      const onAbort = (): void => reject(new Error('stopped before the end'));
      this.#signal.addEventListener('abort', onAbort);
      stopWaiting = () => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', onAbort);
      };
      if (this.#signal.aborted) onAbort();
    });
    try {
      return await Promise.race([work, this.#collapse, givenUp]);
    } finally {
      stopWaiting();
    }
  }

  /** Rejects with the first problem, after everything else was ended. */
  async close(): Promise<void> {
    const problems: unknown[] = [];
    for (const end of this.#endings.splice(0).reverse()) {
      try {
        await end();
      } catch (error) {
        problems.push(error);
      }
    }
    rmSync(this.folder, { recursive: true, force: true });
    if (problems.length > 0) throw problems[0];
  }
}

/** Returns a port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || !address) throw new Error('no port is free');
  return address.port;
}
