import type { CommandResult } from './command-status.ts';
import { withContainer } from './container.ts';
import type { PodTarget, RemoteClient } from './pod-target.ts';
import { type CommandStreams, remoteCommand } from './remote-command.ts';

export interface AttachOptions extends PodTarget, CommandStreams {}

/**
 * Joins the streams of a container's main process until that ends or lets go. `stdin` and `tty` only where the container
 * has them. Resolves and rejects as `exec` does, but that the process's exit code is in the pod's status: here it is 0.
 */
export async function attach(client: RemoteClient, options: AttachOptions): Promise<CommandResult> {
  return remoteCommand(client, 'attach', await withContainer(client, options));
}
