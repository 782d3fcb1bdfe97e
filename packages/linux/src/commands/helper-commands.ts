import { onAbort } from '@coxswain/apimachinery/abort';
import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import type { CommandResult, Commands, RunOptions } from './commands.ts';
import { HelperShell } from './helper-shell.ts';

export interface HelperCommandsOptions {
  readonly clock?: Clock;
  /** How many programs may run at once. Default 4. */
  readonly maxShells?: number;
  /** How many calls may wait for a shell before further ones are refused. Default 1024. */
  readonly maxWaiting?: number;
  /** For calls that do not say. Default two minutes. */
  readonly timeoutMs?: number;
  /** The PATH of the programs. */
  readonly path?: string;
}

/**
 * Runs programs through helper shells that stay. Starting a program from Node copies the page tables of the whole process and blocks
 * the event loop meanwhile; a shell is small, so it starts a program at a small cost that does not grow with this process
 * (docs/decisions/0031-mounts-by-helper-shells.md).
 */
export class HelperCommands implements Commands {
  readonly #clock: Clock;
  readonly #maxShells: number;
  readonly #maxWaiting: number;
  readonly #timeoutMs: number;
  readonly #path: string;
  /** All that have not ended. */
  readonly #shells = new Set<HelperShell>();
  readonly #idle: HelperShell[] = [];
  readonly #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor(options: HelperCommandsOptions = {}) {
    const { clock = systemClock, maxShells = 4, maxWaiting = 1024, timeoutMs = 120_000 } = options;
    this.#clock = clock;
    this.#maxShells = maxShells;
    this.#maxWaiting = maxWaiting;
    this.#timeoutMs = timeoutMs;
    this.#path = options.path ?? process.env.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin';
  }

  run(argv: readonly string[], { signal, timeoutMs = this.#timeoutMs }: RunOptions = {}): Promise<CommandResult> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (this.#isClosed) return reject(new Error('the helper processes have been closed'));
      let shell: HelperShell | undefined;
      let isSettled = false;
      const settle = (act: () => void): void => {
        // A shell that is killed ends its command, too.
        if (isSettled) return;
        isSettled = true;
        timer.cancel();
        unlink();
        act();
      };
      const giveUp = (reason: Error): void =>
        settle(() => {
          const place = this.#waiting.indexOf(start);
          if (place >= 0) this.#waiting.splice(place, 1);
          if (shell) this.#discard(shell, reason);
          reject(reason);
        });
      const unlink = onAbort(signal, () => giveUp(signal?.reason));
      const timer = this.#clock.setTimeout(
        () => giveUp(new Error(`${argv[0]} did not end within ${timeoutMs / 1000} s`)),
        timeoutMs,
      );
      const start = (): void => {
        const taken = this.#take();
        shell = taken;
        taken.run(argv).then(
          (result) =>
            settle(() => {
              this.#release(taken);
              resolve(result);
            }),
          (error: Error) =>
            settle(() => {
              this.#discard(taken, error);
              reject(error);
            }),
        );
      };
      if (this.#idle.length > 0 || this.#shells.size < this.#maxShells) start();
      else if (this.#waiting.length < this.#maxWaiting) this.#waiting.push(start);
      else settle(() => reject(new Error(`${this.#waiting.length} commands are waiting already`)));
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const shell of [...this.#shells]) this.#discard(shell, new Error('the helper processes have been closed'));
  }

  #take(): HelperShell {
    for (let shell = this.#idle.pop(); shell; shell = this.#idle.pop()) {
      if (!shell.hasEnded) return shell;
      this.#shells.delete(shell);
    }
    const shell = new HelperShell(this.#path);
    this.#shells.add(shell);
    return shell;
  }

  #release(shell: HelperShell): void {
    this.#idle.push(shell);
    this.#waiting.shift()?.();
  }

  #discard(shell: HelperShell, reason: Error): void {
    shell.kill(reason);
    this.#shells.delete(shell);
    const place = this.#idle.indexOf(shell);
    if (place >= 0) this.#idle.splice(place, 1);
    this.#waiting.shift()?.();
  }
}
