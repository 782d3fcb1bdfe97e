import type { Status } from '@coxswain/apimachinery/meta';

/** How a command ended. */
export interface CommandResult {
  /** 0 for success; 128 and a signal's number for what a signal ended, as shells have it. */
  readonly exitCode: number;
}

/**
 * A command could not be run or joined, or nobody knows how it ended. One that ran and failed is none: its exit code is
 * in the result.
 */
export class RemoteCommandError extends Error {
  override readonly name = 'RemoteCommandError';
  /** What the node said, if it said anything. */
  readonly status: Status | undefined;

  constructor(message: string, options: ErrorOptions & { status?: Status } = {}) {
    super(message, options);
    this.status = options.status;
  }
}

/** Reads what the error channel carried. Throws a RemoteCommandError when that is not the end of a command that ran. */
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
    // Servers of before v4 send a sentence.
    throw new RemoteCommandError(text.trim(), { cause });
  }
  if (typeof status !== 'object' || status === null) throw new RemoteCommandError(`no status: ${text}`);
  return status;
}
