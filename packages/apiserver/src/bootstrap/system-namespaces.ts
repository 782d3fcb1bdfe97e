import type { Namespace } from '@coxswain/api/core/v1';
import { ensureObjects } from './ensure-objects.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';

const names = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

const namespaces = names.map(
  (name): Namespace => ({
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
  }),
);

/** Ensures the namespaces that every cluster has. A deleted one is created again. */
export const systemNamespaces = (context: BootstrapContext): PostStartHook => ({
  name: 'start-system-namespaces-controller',
  start: (signal) =>
    startPeriodicTask(() => ensureObjects(context, { group: '', resource: 'namespaces' }, namespaces), {
      failure: 'unable to create required kubernetes system Namespaces',
      intervalMs: 60_000,
      signal,
      clock: context.clock,
      logger: context.logger,
    }),
});
