import type { ConfigMap } from '@coxswain/api/core/v1';
import { ensureObjects } from './ensure-objects.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';

/** Records the day since which the use of token Secrets is tracked. The cleaner of legacy tokens reads it. */
export function legacyTokenTracking(context: BootstrapContext): PostStartHook {
  const ensure = async (): Promise<void> => {
    const wanted: ConfigMap = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
      data: { since: context.now().toISOString().slice(0, 10) },
    };
    await ensureObjects(context, { group: '', resource: 'configmaps' }, [wanted], (current) =>
      isDate(current.data?.since) ? undefined : { ...current, data: { ...current.data, ...wanted.data } },
    );
  };
  return {
    name: 'start-legacy-token-tracking-controller',
    start: (signal) =>
      startPeriodicTask(ensure, {
        failure: 'error while syncing the legacy token tracking ConfigMap',
        // Upstream's rate limit allows one write in this time.
        intervalMs: 30 * 60_000,
        signal,
        clock: context.clock,
        logger: context.logger,
      }),
  };
}

const isDate = (text = ''): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
