import { type Clock, type Logger, sleep } from '@coxswain/client';
import type { RuntimeService } from '@coxswain/cri';
import { RpcError } from '@coxswain/grpc';

export interface CgroupDriverOptions {
  /** Of the configuration, for runtimes that do not tell theirs. */
  readonly configured: 'cgroupfs' | 'systemd';
  readonly runtime: Pick<RuntimeService, 'runtimeConfig'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const tries = 3;
const retryMs = 2000;

/** Returns the cgroup driver of the container runtime. Rejects if the runtime does not answer after some tries. */
export async function cgroupDriver(options: CgroupDriverOptions, signal: AbortSignal): Promise<'cgroupfs' | 'systemd'> {
  const { configured, runtime, clock, logger } = options;
  for (let left = tries; ; ) {
    try {
      const { linux } = await runtime.runtimeConfig({}, { signal, timeoutMs: retryMs });
      if (!linux) return configured;
      const driver = linux.cgroupDriver === 'SYSTEMD' ? 'systemd' : 'cgroupfs';
      logger.info('Using cgroup driver setting received from the CRI runtime', { cgroupDriver: driver });
      return driver;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RpcError && error.code === 'Unimplemented') {
        logger.info(
          'CRI implementation should be updated to support RuntimeConfig. Falling back to using cgroupDriver from kubelet config.',
        );
        return configured;
      }
      left--;
      if (left === 0) throw error;
    }
    await sleep(clock, retryMs, signal);
  }
}
