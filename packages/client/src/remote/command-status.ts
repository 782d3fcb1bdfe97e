import type { Status } from '@coxswain/apimachinery/meta';

/** The result of a command. */
export interface CommandResult {
  /** 0 for success; 128 plus the signal's number if a signal ended it, as in shells. */
  readonly exitCode: number;
}

/**
 * A command could not be run or attached to, or its outcome is unknown. A command that ran and failed is not an error:
 * its exit code is in the result.
 */
export class RemoteCommandError extends Error {
  override readonly name = 'RemoteCommandError';
  /** The Status that the node sent, if any. */
  readonly status: Status | undefined;

  constructor(message: string, options: ErrorOptions & { status?: Status } = {}) {
    super(message, options);
    this.status = options.status;
  }
}

/**
 * Parses the content of the error channel. Throws a RemoteCommandError unless it is the status of a command that has
 * run.
 */
export function readCommandStatus(text: string): CommandResult {
  const status = parse(text);
  if (status.status === 'Success') return { exitCode: 0 };
  if (status.status !== 'Failure') throw new RemoteCommandError(`unknown status of the command: ${text}`, { status });
  if (String(status.reason) !== 'NonZeroExitCode') {
    throw new RemoteCommandError(status.message || 'the command could not be run', { status });
  }
  const cause = status.details?.causes?.find(({ reason }) => String(reason) === 'ExitCode');
  const exitCode = Number(cause?.message);
  if (!/^\d{1,3}$/.test(cause?.message ?? '') || exitCode > 255) {
    throw new RemoteCommandError(`no exit code in the status of the command: ${text}`, { status });
  }
  return { exitCode };
}

function parse(text: string): Status {
  let status: unknown;
  try {
    status = JSON.parse(text);
  } catch (cause) {
    // Servers that only know protocols before v4 send plain text.
    throw new RemoteCommandError(text.trim(), { cause });
  }
  if (typeof status !== 'object' || status === null) throw new RemoteCommandError(`no status: ${text}`);
  return status;
}
