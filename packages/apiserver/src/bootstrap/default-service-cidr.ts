import type { ServiceCIDR } from '@coxswain/api/networking/v1';
import { findStatusCondition, jsonEquals, timeFromDate } from '@coxswain/apimachinery';
import { syncedLister, unlessSurpassed } from './ensure-objects.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';

const resource = { group: 'networking.k8s.io', resource: 'servicecidrs' };
const name = 'kubernetes';
const identity = { kind: 'ServiceCIDR', apiVersion: 'networking.k8s.io/v1', metadata: { name } } as const;
const statusWrite = { manager: 'kubernetes-service-cidr-controller', subresource: 'status' };

/** Ensures the default ServiceCIDR object. `cidrs`: the ranges of the flags, at most one of each IP family. */
export function defaultServiceCIDR(context: BootstrapContext, cidrs: readonly string[]): PostStartHook {
  let isMismatchReported = false;

  const ensure = async (): Promise<void> => {
    const { client, now, logger } = context;
    const lister = await syncedLister<ServiceCIDR>(context, resource);
    const wanted: ServiceCIDR = { ...identity, spec: { cidrs: [...cidrs] } };
    let current =
      lister.get('', name) ??
      (await unlessSurpassed(() => client.create(resource.group, resource.resource, wanted))) ??
      (await client.get<ServiceCIDR>(resource.group, resource.resource, '', name));
    const before = current.spec?.cidrs ?? [];
    // A second IP family may be added; other changes are not allowed.
    if (cidrs.length === 2 && before.length === 1 && before[0] === cidrs[0]) {
      const extended = { ...current, spec: wanted.spec };
      current = (await unlessSurpassed(() => client.update(resource.group, resource.resource, extended))) ?? current;
    }
    if (current.metadata.deletionTimestamp) return;
    if (!jsonEquals(current.spec?.cidrs, cidrs)) {
      if (!isMismatchReported)
        logger.warn('Default ServiceCIDR does not match the flags of this server', {
          serviceCIDR: before,
          flags: cidrs,
        });
      isMismatchReported = true;
      return;
    }
    const known = findStatusCondition(current.status?.conditions, 'Ready')?.status;
    if (known === 'True' || known === 'False') return;
    const message = 'Kubernetes default Service CIDR is ready';
    // The condition has no reason, as upstream's.
    const condition = { type: 'Ready', status: 'True', message, lastTransitionTime: timeFromDate(now()) } as const;
    const ready = { ...identity, status: { conditions: [condition] } };
    await unlessSurpassed(() => client.apply(resource.group, resource.resource, ready, statusWrite));
  };

  return {
    name: 'start-kubernetes-service-cidr-controller',
    start: (signal) =>
      startPeriodicTask(ensure, {
        failure: 'error initializing the default ServiceCIDR',
        intervalMs: 10_000,
        signal,
        clock: context.clock,
        logger: context.logger,
      }),
  };
}
