import type { ServiceCIDR } from '@coxswain/api/networking/v1';
import { cloneJson, findStatusCondition, jsonEquals, setStatusCondition } from '@coxswain/apimachinery';
import { syncedLister, unlessSurpassed } from './ensure-objects.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';

const resource = { group: 'networking.k8s.io', resource: 'servicecidrs' };
const name = 'kubernetes';

/** The range of service addresses that the server was started with, as an object. `cidrs`: one of each family at most. */
export function defaultServiceCIDR(context: BootstrapContext, cidrs: readonly string[]): PostStartHook {
  let isMismatchReported = false;

  const ensure = async (): Promise<void> => {
    const { client, now, report } = context;
    const lister = await syncedLister<ServiceCIDR>(context, resource);
    const wanted: ServiceCIDR = {
      kind: 'ServiceCIDR',
      apiVersion: 'networking.k8s.io/v1',
      metadata: { name },
      spec: { cidrs: [...cidrs] },
    };
    let current =
      lister.get('', name) ??
      (await unlessSurpassed(() => client.create(resource.group, resource.resource, wanted))) ??
      (await client.get<ServiceCIDR>(resource.group, resource.resource, '', name));
    const before = current.spec?.cidrs ?? [];
    // A second family may be added to the first, and nothing else may change.
    if (cidrs.length === 2 && before.length === 1 && before[0] === cidrs[0]) {
      const extended = { ...current, spec: wanted.spec };
      current = (await unlessSurpassed(() => client.update(resource.group, resource.resource, extended))) ?? current;
    }
    if (current.metadata.deletionTimestamp) return;
    if (!jsonEquals(current.spec?.cidrs, cidrs)) {
      if (!isMismatchReported)
        report(
          `the default ServiceCIDR ${before.join(',')} does not match the flags of this server: ${cidrs.join(',')}`,
        );
      isMismatchReported = true;
      return;
    }
    const ready = findStatusCondition(current.status?.conditions, 'Ready')?.status;
    if (ready === 'True' || ready === 'False') return;
    const changed = cloneJson(current);
    const conditions = changed.status?.conditions ?? [];
    const message = 'Kubernetes default Service CIDR is ready';
    setStatusCondition(conditions, { type: 'Ready', status: 'True', reason: '', message }, now);
    changed.status = { ...changed.status, conditions };
    await unlessSurpassed(() => client.update(resource.group, resource.resource, changed, 'status'));
  };

  return {
    name: 'start-kubernetes-service-cidr-controller',
    start: (signal) =>
      startPeriodicTask(ensure, {
        failure: 'error initializing the default ServiceCIDR',
        intervalMs: 10_000,
        signal,
        report: context.report,
      }),
  };
}
