import type { RuntimeService } from '@coxswain/cri';
import { hasRpcCode } from '@coxswain/grpc';

const timeoutMs = 120_000;

/** Whether a container may still print something. True if the runtime does not answer: containers run on without it. */
export async function containerIsRunning(
  service: Pick<RuntimeService, 'containerStatus'>,
  containerId: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const { status } = await service.containerStatus({ containerId }, { signal, timeoutMs });
    return status?.state === 'CONTAINER_RUNNING';
  } catch (error) {
    if (hasRpcCode(error, 'Unavailable') || hasRpcCode(error, 'DeadlineExceeded')) return true;
    if (hasRpcCode(error, 'NotFound')) return false;
    throw error;
  }
}
