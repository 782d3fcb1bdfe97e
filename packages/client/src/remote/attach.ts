import type { CommandResult } from './command-status.ts';
import { withContainer } from './container.ts';
import type { PodTarget, RemoteClient } from './pod-target.ts';
import { type CommandStreams, remoteCommand } from './remote-command.ts';

export interface AttachOptions extends PodTarget, CommandStreams {}

/**
 * Attaches to the streams of a container's main process until it ends or closes them. `stdin` and `tty` require that
 * the container has them. Resolves and rejects like `exec`, except that the exit code is 0; the process's exit code is
 * in the pod's status.
 */
export async function attach(client: RemoteClient, options: AttachOptions): Promise<CommandResult> {
  return remoteCommand(client, 'attach', await withContainer(client, options));
}
