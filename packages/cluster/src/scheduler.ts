import { Scheduler } from '@coxswain/scheduler';
import type { ClusterContext } from './cluster.ts';
import { scheduler } from './identities.ts';

export function newScheduler({ clientOf, options, clock, random, logger }: ClusterContext): Scheduler {
  const { freezeCaches = false } = options;
  return new Scheduler({
    ...options.scheduler,
    rest: clientOf('scheduler', scheduler),
    clock,
    random,
    logger,
    freezeCaches,
  });
}
