import type { TCPSocketAction } from '@coxswain/api/core/v1';
import type { Clock } from '@coxswain/client';
import { ConnectionError } from '../actions/connection-error.ts';
import { DeadlineExceeded, withDeadline } from '../actions/deadline.ts';
import { dial } from '../actions/dial.ts';
import { hostPort } from '../actions/host-port.ts';
import { resolveContainerPort } from '../actions/resolve-container-port.ts';
import type { ProbeRequest, ProbeResult } from './prober.ts';

/**
 * Passes if a connection can be opened, which is closed at once. It is closed with a FIN: a RST would leave no TIME_WAIT behind, but servers
 * would log it as an error.
 */
export async function probeTcp(
  clock: Clock,
  action: TCPSocketAction,
  { container, podIP, probe, signal }: ProbeRequest,
): Promise<ProbeResult> {
  const port = resolveContainerPort(action.port, container);
  const host = action.host || podIP;
  try {
    const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
    const socket = await withDeadline({ clock, timeoutMs, signal }, (within) => dial(host, port, within));
    socket.on('error', () => {});
    socket.destroy();
    return { outcome: 'Success', output: '' };
  } catch (error) {
    if (error instanceof DeadlineExceeded) {
      return { outcome: 'Failure', output: `dial tcp ${hostPort(host, port)}: i/o timeout` };
    }
    if (error instanceof ConnectionError) return { outcome: 'Failure', output: error.message };
    throw error;
  }
}
