import type { Logger } from '@coxswain/client';

/** What a command that runs until it is stopped needs of its process. */
export interface ServerProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** Calls back for each SIGINT and SIGTERM until what it returns is called. */
  onSignal(callback: () => void): () => void;
  /** Gives memory back whenever the process rests, until what it returns is called. */
  tidyAtRest(): () => void;
  /**
   * Starts a `cox` with these arguments that goes on when this process and its terminal are gone; what it writes goes to an open file.
   */
  background(args: readonly string[], output: number): BackgroundProcess;
  /** Ends the process at once. */
  exit(status: number): void;
  /** Asks whoever sits there; no where nobody does. */
  confirm(question: string): Promise<boolean>;
}

/** A `cox` in a process of its own. */
export interface BackgroundProcess {
  readonly pid: number;
  /** Its exit status; null after a signal. */
  readonly ended: Promise<number | null>;
  /** Asks it to end. */
  kill(): void;
  /** This process may end before it. */
  release(): void;
}

/**
 * Runs something until it ends or a signal comes, which aborts its own; a second one ends the process at once. Passes on
 * what it throws.
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
