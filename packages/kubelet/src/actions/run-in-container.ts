import type { RuntimeService } from '@coxswain/cri';
import { hasRpcCode } from '@coxswain/grpc';

/** How much longer than its timeout a command may take: the runtime kills it and cleans up after it. */
const cleanUpMs = 120_000;

export interface Command {
  readonly containerId: string;
  readonly command: readonly string[];
  /** No limit when absent. */
  readonly timeoutSeconds?: number | undefined;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/**
 * Runs a command in a container to its end. Undefined if it did not end in time. Rejects with an RpcError if the runtime could not run it,
 * and with the reason of the signal when it is aborted.
 */
export async function runInContainer(
  service: Pick<RuntimeService, 'execSync'>,
  { containerId, command, timeoutSeconds = 0 }: Command,
  signal: AbortSignal,
): Promise<CommandResult | undefined> {
  const timeoutMs = timeoutSeconds > 0 ? timeoutSeconds * 1000 + cleanUpMs : undefined;
  try {
    return await service.execSync({ containerId, cmd: command, timeout: timeoutSeconds }, { signal, timeoutMs });
  } catch (error) {
    if (hasRpcCode(error, 'DeadlineExceeded')) return undefined;
    throw error;
  }
}
