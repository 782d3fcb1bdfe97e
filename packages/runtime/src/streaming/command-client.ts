/** A client of exec or attach, whatever protocol carries its streams. */
export interface CommandClient {
  /** Undefined if the client sends none. */
  readonly stdin: AsyncIterable<Uint8Array> | undefined;
  /** Pieces of JSON values, each with the size of a terminal. */
  readonly resizes: AsyncIterable<Uint8Array> | undefined;
  /** Writes to a stream of the client; drops what it did not ask for. */
  write(stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void>;
  /** Ends the session with its outcome. */
  finish(outcome: CommandOutcome): Promise<void>;
  /** Resolves when the client has gone. */
  readonly closed: Promise<void>;
}

/** How a command has ended, or why it could not be run. */
export type CommandOutcome = { readonly exitCode: number } | { readonly error: string };

/** The status of a command, as clients of version 4 of the protocol read it. */
export function statusOf(outcome: CommandOutcome): string {
  if ('error' in outcome) {
    const message = `Internal error occurred: error executing command in container: ${outcome.error}`;
    const details = { causes: [{ message: outcome.error }] };
    return JSON.stringify({ metadata: {}, status: 'Failure', message, reason: 'InternalError', details, code: 500 });
  }
  const { exitCode } = outcome;
  if (exitCode === 0) return JSON.stringify({ metadata: {}, status: 'Success' });
  const message = `command terminated with non-zero exit code: exit status ${exitCode}`;
  const details = { causes: [{ reason: 'ExitCode', message: String(exitCode) }] };
  return JSON.stringify({ metadata: {}, status: 'Failure', message, reason: 'NonZeroExitCode', details });
}

/** The same for older clients: text if it has failed, and nothing else. */
export function oldStatusOf(outcome: CommandOutcome): string {
  if ('error' in outcome) return `error executing command in container: ${outcome.error}`;
  return outcome.exitCode === 0 ? '' : `command terminated with non-zero exit code: exit status ${outcome.exitCode}`;
}
