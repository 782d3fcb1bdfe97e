import type { ExecAction } from '@coxswain/api/core/v1';
import { quote } from '@coxswain/apimachinery';
import { formatDuration } from '@coxswain/apimachinery/time';
import type { RuntimeService } from '@coxswain/cri';
import { runInContainer } from '../actions/run-in-container.ts';
import { expandWithStatic } from '../volumes/expansion.ts';
import type { ProbeRequest, ProbeResult } from './prober.ts';

/** How much of a command's output is kept. */
const maxOutputBytes = 10 * 1024;

/** Runs the command in the container. It passes with exit code 0, and fails if it takes too long. */
export async function probeExec(
  service: Pick<RuntimeService, 'execSync'>,
  action: ExecAction,
  { container, containerId, probe, signal }: ProbeRequest,
): Promise<ProbeResult> {
  const command = expandWithStatic(action.command ?? [], container.env);
  const { timeoutSeconds = 1 } = probe;
  const result = await runInContainer(service, { containerId, command, timeoutSeconds }, signal);
  if (!result) {
    const time = formatDuration(timeoutSeconds * 1e9);
    return { outcome: 'Failure', output: `command timed out: ${quote(command.join(' '))} timed out after ${time}` };
  }
  const output = Buffer.concat([result.stdout, result.stderr]).toString('utf8', 0, maxOutputBytes);
  return { outcome: result.exitCode === 0 ? 'Success' : 'Failure', output };
}
