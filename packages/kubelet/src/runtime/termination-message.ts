import { messageOf } from '@coxswain/apimachinery/errors';
import type { ContainerStatus } from '@coxswain/cri';
import type { ContainerLogs } from '../logs/container-logs.ts';
import { terminationMessagePathAnnotation, terminationMessagePolicyAnnotation } from './labels.ts';

/** Where the termination message of a container is read from. */
export interface TerminationMessageSource {
  readonly logs: ContainerLogs;
  /** Reads the file that a container was given for its termination message. Undefined if there is no such file. */
  terminationMessage(path: string): Promise<string | undefined>;
}

/** The most lines and bytes of a container's log that become a termination message. */
const mostLogLines = 80;
const mostLogBytes = 2048;

/** Returns the message for the status of a container that has ended: the runtime's message followed by the container's own. */
export async function terminationMessage(
  { id, annotations, mounts, exitCode, reason, message, logPath }: ContainerStatus,
  source: TerminationMessageSource,
): Promise<string> {
  const path = annotations[terminationMessagePathAnnotation];
  const file = mounts.find(({ containerPath }) => path && containerPath === path)?.hostPath;
  const written = file === undefined ? '' : ((await source.terminationMessage(file)) ?? '');
  const mayFallBack =
    annotations[terminationMessagePolicyAnnotation] === 'FallbackToLogsOnError' &&
    exitCode !== 0 &&
    reason !== 'ContainerCannotRun';
  const own = written === '' && mayFallBack ? await endOfLog({ id, logPath }, source) : written;
  return own !== '' && message !== '' ? `${message}: ${own}` : message || own;
}

async function endOfLog(
  container: { id: string; logPath: string },
  { logs }: TerminationMessageSource,
): Promise<string> {
  let end: Uint8Array = new Uint8Array();
  try {
    for await (const chunk of logs.read(container, { tailLines: mostLogLines })) {
      end = Buffer.concat([end, chunk]).subarray(-mostLogBytes);
    }
  } catch (error) {
    return `Error on reading termination message from logs: ${messageOf(error)}`;
  }
  return Buffer.from(end).toString();
}
