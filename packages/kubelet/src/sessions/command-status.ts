import type { Status } from '@coxswain/apimachinery';
import { isJsonObject } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';

/** Reads what a runtime says of a command that has ended, as the Status for the client. Throws an Error if the command could not be run. */
export function readCommandStatus(text: string): Status {
  const { status, reason, details, message } = parse(text);
  if (status === 'Success') return { metadata: {}, status };
  if (status !== 'Failure') throw new Error('error stream protocol error: unknown error');
  if (reason !== 'NonZeroExitCode') throw new Error(typeof message === 'string' ? message : '');
  const exitCode = exitCodeOf(details);
  return {
    metadata: {},
    status,
    message: `command terminated with non-zero exit code: command terminated with exit code ${exitCode}`,
    reason,
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    const status: unknown = JSON.parse(text);
    if (isJsonObject(status)) return status;
  } catch (cause) {
    throw new Error(`error stream protocol error: ${messageOf(cause)} in ${JSON.stringify(text)}`, { cause });
  }
  throw new Error(`error stream protocol error: no Status in ${JSON.stringify(text)}`);
}

function exitCodeOf(details: unknown): number {
  const causes = isJsonObject(details) && Array.isArray(details.causes) ? details.causes.filter(isJsonObject) : [];
  const cause = causes.find(({ reason }) => reason === 'ExitCode');
  if (!cause) throw new Error('error stream protocol error: no ExitCode cause given');
  const code = typeof cause.message === 'string' && /^\d{1,3}$/.test(cause.message) ? Number(cause.message) : 256;
  if (code > 255)
    throw new Error(`error stream protocol error: invalid exit code value ${JSON.stringify(cause.message)}`);
  return code;
}
