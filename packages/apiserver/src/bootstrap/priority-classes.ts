import type { PriorityClass } from '@coxswain/api/scheduling/v1';
import { ensureObjects } from './ensure-objects.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';

const classes: readonly [name: string, value: number, description: string][] = [
  ['system-node-critical', 2000001000, 'Used for system critical pods that must not be moved from their current node.'],
  [
    'system-cluster-critical',
    2000000000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
];

const priorityClasses = classes.map(
  ([name, value, description]): PriorityClass => ({
    kind: 'PriorityClass',
    apiVersion: 'scheduling.k8s.io/v1',
    metadata: { name },
    value,
    description,
    preemptionPolicy: 'PreemptLowerPriority',
  }),
);

/** The priority classes of system-critical pods. */
export const systemPriorityClasses = (context: BootstrapContext): PostStartHook => ({
  name: 'scheduling/bootstrap-system-priority-classes',
  start: (signal) =>
    startPeriodicTask(
      () => ensureObjects(context, { group: 'scheduling.k8s.io', resource: 'priorityclasses' }, priorityClasses),
      {
        failure: 'unable to add default system priority classes',
        // Differs from upstream: upstream checks once, so that a deleted class is missing until a restart.
        intervalMs: 60_000,
        signal,
        clock: context.clock,
        logger: context.logger,
      },
    ),
});
