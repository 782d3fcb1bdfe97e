import type { Logger } from '@coxswain/client';

/** The parts of its process that a long-running command uses. */
export interface ServerProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** Calls back for each SIGINT and SIGTERM until the returned function is called. */
  onSignal(callback: () => void): () => void;
  /** Returns memory to the system whenever the process is idle, until the returned function is called. */
  tidyAtRest(): () => void;
  /** Starts a `cox` with these arguments that outlives this process and its terminal. Its output goes to an open file. */
  background(args: readonly string[], output: number): BackgroundProcess;
  /** Ends the process at once. */
  exit(status: number): void;
  /** Asks the user a yes/no question. Resolves with false when there is no terminal. */
  confirm(question: string): Promise<boolean>;
}

/** A `cox` in another process. */
export interface BackgroundProcess {
  readonly pid: number;
  /** Its exit status; null after a signal. */
  readonly ended: Promise<number | null>;
  /** Sends SIGTERM. */
  kill(): void;
  /** Allows this process to end before it. */
  release(): void;
}

/**
 * Runs a function until it resolves. A stop signal aborts its AbortSignal; a second one ends the process at once. Rejects with the
 * function's error.
 */
export async function runUntilStopped(
  process: ServerProcess,
  logger: Pick<Logger, 'info'>,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stopping = new AbortController();
  const forget = process.onSignal(() => {
    if (stopping.signal.aborted) {
      process.exit(1);
      return;
    }
    logger.info('stopping; another signal ends the process at once');
    stopping.abort();
  });
  const endTidying = process.tidyAtRest();
  try {
    await run(stopping.signal);
    logger.info('stopped');
  } finally {
    endTidying();
    forget();
  }
}
