import { type ClientSet, untilWithSync, type WaitOptions } from '@coxswain/client';
import type { NamedNode } from './nodes/node-provider.ts';
import { notReady } from './nodes/until-ready.ts';

const account = 'default';
const authority = 'kube-root-ca.crt';

/**
 * Resolves when the controllers have created what pods in the namespace `default` need: the service account and the ConfigMap that each of
 * them mounts.
 */
export async function untilPodsMayCome({ core }: ClientSet, options: WaitOptions): Promise<void> {
  const { serviceAccounts, configMaps } = core.v1;
  await untilWithSync(serviceAccounts('default'), account, (found) => found !== undefined, options);
  await untilWithSync(configMaps('default'), authority, (found) => found !== undefined, options);
}

/**
 * Returns whether the stored objects are those of a ready cluster with these nodes. Then there is nothing to wait for, even if components
 * do not run yet. Also returns false when the objects cannot be read.
 */
export async function isReadyAsStored(clients: ClientSet, expected: readonly NamedNode[]): Promise<boolean> {
  const { serviceAccounts, configMaps } = clients.core.v1;
  try {
    await Promise.all([serviceAccounts('default').get(account), configMaps('default').get(authority)]);
    return (await notReady(clients, expected)).length === 0;
  } catch {
    return false;
  }
}
