/** Removes API servers that no longer exist from StorageVersions, which record the encoding version of each server. */

import type { StorageVersion } from '@coxswain/api/apiserverinternal/v1alpha1';
import type { Lease } from '@coxswain/api/coordination/v1';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { deletedObject } from '@coxswain/client';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { ReconcileLoop } from '../framework/controller/reconcile-loop.ts';
import { withServers } from './common-encoding-version.ts';

export const storageVersionGarbageCollectorController: ControllerDefinition = {
  name: 'storageversion-garbage-collector-controller',
  aliases: ['storage-version-gc'],
  needs: [{ group: 'internal.apiserver.k8s.io', version: 'v1alpha1', resource: 'storageversions' }],
  create: newController,
};

const leaseNamespace = 'kube-system';
const isOfServer = ({ metadata }: Lease): boolean =>
  metadata.namespace === leaseNamespace && metadata.labels?.['apiserver.kubernetes.io/identity'] === 'kube-apiserver';

function newController(context: ControllerContext): Controller {
  const versions = context.informers.internal.v1alpha1.storageVersions.informer;
  const leases = context.informers.coordination.v1.leases.informer;
  const loop = new ReconcileLoop(context, {
    name: 'storage_version_garbage_collector_storageversions',
    workers: 1,
    synced: [leases, versions],
    reconcile: (name) => forgetServers(context, name),
  });
  const check = (version: StorageVersion): void => {
    const isKnown = (id: string): boolean => {
      const lease = leases.indexer.getByKey(`${leaseNamespace}/${id}`);
      return lease !== undefined && isOfServer(lease);
    };
    if (version.status?.storageVersions?.some(({ apiServerID }) => !isKnown(apiServerID))) loop.add(version);
  };
  versions.addEventHandler({ onAdd: check, onUpdate: (_, version) => check(version) });
  leases.addEventHandler({
    onDelete: (deleted) => {
      if (isOfServer(deletedObject(deleted))) versions.indexer.list().forEach(check);
    },
  });
  return loop;
}

/** Removes servers without a lease. Reads from the API server, because the caches may not be in sync with each other. */
async function forgetServers({ clients, clock }: ControllerContext, name: string): Promise<void> {
  const versions = clients.internal.v1alpha1.storageVersions();
  const leases = clients.coordination.v1.leases(leaseNamespace);
  // Differs from upstream: a lease that cannot be read does not count as deleted.
  const isThere = async (id: string): Promise<boolean> => {
    const lease = await orNothing(leases.get(id));
    return lease !== undefined && isOfServer(lease);
  };
  const version = await orNothing(versions.get(name));
  const known = version?.status?.storageVersions ?? [];
  const left = [];
  for (const server of known) if (await isThere(server.apiServerID)) left.push(server);
  if (!version || left.length === known.length) return;
  if (left.length === 0) await versions.delete(name);
  else await versions.updateStatus(withServers(version, left, clock.now()));
}

const orNothing = <T>(object: Promise<T>): Promise<T | undefined> =>
  object.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
