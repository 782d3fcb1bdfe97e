import { type ClientSet, untilWithSync, type WaitOptions } from '@coxswain/client';
import type { NamedNode } from './nodes/node-provider.ts';
import { notReady } from './nodes/until-ready.ts';

const account = 'default';
const authority = 'kube-root-ca.crt';

/** Resolves when pods may be created in the namespace `default` and have what each of them mounts: the controllers make it. */
export async function untilPodsMayCome({ core }: ClientSet, options: WaitOptions): Promise<void> {
  const { serviceAccounts, configMaps } = core.v1;
  await untilWithSync(serviceAccounts('default'), account, (found) => found !== undefined, options);
  await untilWithSync(configMaps('default'), authority, (found) => found !== undefined, options);
}

/**
 * Whether what is stored is that of a cluster which is ready, with these nodes: then there is nothing to wait for, though components
 * may not run yet. False also when it cannot be told.
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
