import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { CommandResult } from './commands.ts';

const maxOutput = 64 * 1024;

/** NUL, the status, and NUL. */
const maxEnd = 8;

interface Running {
  readonly resolve: (result: CommandResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One `/bin/sh` process that runs a command at a time. After each command it prints NUL, the exit status, and NUL. Programs must print
 * text; their messages about their arguments cannot contain NUL. It ends by itself when this process ends, because its standard input is then closed.
 */
export class HelperShell {
  readonly #process: ChildProcessWithoutNullStreams;
  /** The beginning of what was received since the command started, and its end, where the status will be. */
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);
  #received = 0;
  #running: Running | undefined;
  #ended: Error | undefined;

  constructor(path: string) {
    // A process group of its own, so that a hung program can be killed together with its shell.
    this.#process = spawn('/bin/sh', [], { detached: true, env: { PATH: path, LC_ALL: 'C' }, cwd: '/' });
    this.#process.on('error', (error) => this.#end(error));
    // Not `close`: what the shell started may have its output open for long.
    this.#process.on('exit', () => this.#end(new Error('the helper shell ended')));
    this.#process.stdin.on('error', (error) => this.#end(error));
    this.#process.stdout.on('data', (data: Buffer) => this.#receive(data));
    this.#process.stderr.resume();
    this.#setReferenced(false);
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Must not be called while a command is running. */
  run(argv: readonly string[]): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      this.#running = { resolve, reject };
      this.#setReferenced(true);
      this.#process.stdin.write(`${argv.map(quote).join(' ')} </dev/null 2>&1; printf '\\000%d\\000' $?\n`);
    });
  }

  /** Kills the shell and the program that it is running, without waiting for their end. */
  kill(reason: Error): void {
    this.#end(reason);
    const { pid } = this.#process;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
    this.#process.stdout.destroy();
    this.#process.stderr.destroy();
    this.#process.stdin.destroy();
  }

  #receive(data: Buffer): void {
    const room = maxOutput - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, data.subarray(0, room)]);
    this.#received += data.length;
    this.#tail = Buffer.concat([this.#tail, data]).subarray(-maxEnd);
    const end = /\0(\d+)\0$/.exec(this.#tail.toString('latin1'));
    const running = this.#running;
    if (!end || !running) return;
    const output = this.#head.toString('utf8', 0, Math.min(this.#received - end[0].length, maxOutput));
    this.#forget();
    running.resolve({ status: Number(end[1]), output });
  }

  #forget(): void {
    this.#running = undefined;
    this.#head = Buffer.alloc(0);
    this.#tail = Buffer.alloc(0);
    this.#received = 0;
    this.#setReferenced(false);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#running?.reject(error);
    this.#forget();
  }

  /** An idle shell does not keep this process alive. */
  #setReferenced(isReferenced: boolean): void {
    for (const part of [this.#process, this.#process.stdin, this.#process.stdout, this.#process.stderr]) {
      // The streams of a child process are sockets, which the types do not say.
      if (isReferenced && 'ref' in part && typeof part.ref === 'function') part.ref();
      if (!isReferenced && 'unref' in part && typeof part.unref === 'function') part.unref();
    }
  }
}

function quote(argument: string): string {
  if (argument.includes('\0')) throw new TypeError(`argument ${JSON.stringify(argument)} contains NUL`);
  return `'${argument.replaceAll("'", "'\\''")}'`;
}
