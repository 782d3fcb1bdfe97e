import { type CommandResult, RemoteCommandError } from './command-status.ts';
import { withContainer } from './container.ts';
import type { PodTarget, RemoteClient } from './pod-target.ts';
import { type CommandStreams, remoteCommand } from './remote-command.ts';

export interface ExecOptions extends PodTarget, CommandStreams {
  /** The program and its arguments; not interpreted by a shell. */
  readonly command: readonly string[];
}

/**
 * Runs a command in a container and resolves with its exit code, whatever it is. Rejects only when the outcome is
 * unknown: with an ApiError when the server rejects the request, a RemoteCommandError when the command cannot be run, a
 * TransportError when the connection breaks, the signal's reason, and errors of `stdin` or a sink.
 */
export async function exec(client: RemoteClient, options: ExecOptions): Promise<CommandResult> {
  return remoteCommand(client, 'exec', await withContainer(client, options), { command: options.command });
}

export interface ExecOutput extends CommandResult {
  readonly stdout: string;
  readonly stderr: string;
}

/** Default limit of output held in memory. */
const defaultMaxOutputBytes = 16 * 1024 * 1024;

/**
 * Runs a command like `exec` and collects its output. Rejects with a RemoteCommandError when that exceeds
 * `maxOutputBytes`.
 */
export async function execOutput(
  client: RemoteClient,
  options: Omit<ExecOptions, 'stdout' | 'stderr' | 'tty' | 'resize'> & { readonly maxOutputBytes?: number },
): Promise<ExecOutput> {
  const { maxOutputBytes = defaultMaxOutputBytes } = options;
  let bytes = 0;
  const collect = () => {
    const decoder = new TextDecoder();
    let text = '';
    return {
      sink: (chunk: Uint8Array): void => {
        bytes += chunk.length;
        if (bytes > maxOutputBytes) throw new RemoteCommandError(`more than ${maxOutputBytes} bytes of output`);
        text += decoder.decode(chunk, { stream: true });
      },
      text: () => text + decoder.decode(),
    };
  };
  const stdout = collect();
  const stderr = collect();
  const { exitCode } = await exec(client, { ...options, stdout: stdout.sink, stderr: stderr.sink });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}
