import { Scheduler } from '@coxswain/scheduler';
import type { ClusterContext } from './cluster.ts';
import { scheduler } from './identities.ts';

export function newScheduler({ clientOf, options, clockOf, random, logger }: ClusterContext): Scheduler {
  const { freezeCaches = false } = options;
  return new Scheduler({
    ...options.scheduler,
    rest: clientOf('scheduler', scheduler),
    clock: clockOf('scheduler'),
    random,
    logger,
    freezeCaches,
  });
}
