import type { APIService } from '@coxswain/api/apiregistration/v1';
import { jsonEquals } from '@coxswain/apimachinery';
import { localAvailability, withAvailability } from '../aggregator/index.ts';
import { apiServicePriority } from './api-service-priorities.ts';
import { ensureObjects, syncedLister, unlessSurpassed } from './ensure-objects.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';

const resource = { group: 'apiregistration.k8s.io', resource: 'apiservices' };
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';

export interface ServedGroupVersion {
  readonly group: string;
  readonly version: string;
}

/**
 * Ensures an APIService without a Service reference for each built-in group version. Deletes those of built-in versions
 * that are no longer served.
 */
export function localAPIServices(context: BootstrapContext, served: readonly ServedGroupVersion[]): PostStartHook {
  const wanted = served.flatMap(({ group, version }): APIService[] => {
    const priority = apiServicePriority(group, version);
    if (!priority) return [];
    const spec = { ...(group && { group }), version, ...priority };
    const metadata = { name: `${version}.${group}`, labels: { [managedLabel]: 'onstart' } };
    return [{ kind: 'APIService', apiVersion: 'apiregistration.k8s.io/v1', metadata, spec }];
  });
  const names = new Set(wanted.map(({ metadata }) => metadata.name));

  const ensure = async (): Promise<void> => {
    const { client } = context;
    const lister = await syncedLister<APIService>(context, resource);
    const managed = lister.list().filter(({ metadata }) => metadata.labels?.[managedLabel] === 'onstart');
    const removed = managed
      .filter(({ metadata }) => !names.has(metadata.name))
      .map(({ metadata: { name = '', uid } }) =>
        unlessSurpassed(() => client.delete(resource.group, resource.resource, '', name, { uid })),
      );
    const present = ensureObjects(context, resource, wanted, (current, { spec }) =>
      current.metadata.labels?.[managedLabel] === 'onstart' &&
      !jsonEquals(current.spec, spec, { undefinedIsAbsent: true })
        ? { ...current, spec }
        : undefined,
    );
    await Promise.all([present, ...removed]);
    await Promise.all((await present).map((service) => markAvailable(context, service)));
  };

  return {
    name: 'kube-apiserver-autoregistration',
    start: (signal) =>
      startPeriodicTask(ensure, {
        failure: 'unable to register the APIServices of built-in groups',
        // Differs from upstream: upstream checks once, so that a deleted APIService is missing until a restart.
        intervalMs: 60_000,
        signal,
        clock: context.clock,
        logger: context.logger,
      }),
  };
}

async function markAvailable({ client, now }: BootstrapContext, service: APIService): Promise<void> {
  if (service.spec?.service) return;
  const changed = withAvailability(service, localAvailability, now());
  if (!changed) return;
  await unlessSurpassed(() => client.update(resource.group, resource.resource, changed, { subresource: 'status' }));
}
