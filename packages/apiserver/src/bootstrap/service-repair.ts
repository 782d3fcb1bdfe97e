import type { ServiceAllocation } from '../services/index.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';

/** Repairs differences between Services and the records of their allocated cluster IPs and node ports. */
export const serviceRepair = ({ clock, logger }: BootstrapContext, allocation: ServiceAllocation): PostStartHook => ({
  name: 'start-service-ip-repair-controllers',
  start: (signal) => {
    signal.addEventListener('abort', allocation.watchDeletions());
    return startPeriodicTask(() => allocation.repair(), {
      failure: 'unable to perform initial IP and Port allocation check',
      intervalMs: 3 * 60_000,
      signal,
      clock,
      logger,
    });
  },
});
