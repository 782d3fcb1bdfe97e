import type { Node } from '@coxswain/api/core/v1';
import { type ClientSet, untilWithSync, type WaitOptions } from '@coxswain/client';

/**
 * Resolves when pods may be created in the namespace `default` and have what each of them mounts, and these nodes are ready for
 * them. Others may be there that are not, of a cluster that once had more.
 */
export async function untilReady(clients: ClientSet, names: readonly string[], options: WaitOptions): Promise<void> {
  const { serviceAccounts, configMaps, nodes } = clients.core.v1;
  await untilWithSync(serviceAccounts('default'), account, (found) => found !== undefined, options);
  await untilWithSync(configMaps('default'), authority, (found) => found !== undefined, options);
  // While one is waited for, most others become ready, too.
  for (let waiting = names; waiting[0] !== undefined; waiting = await notReady(clients, waiting)) {
    await untilWithSync(nodes(), waiting[0], (node) => node !== undefined && isNodeReady(node), options);
  }
}

/** Whether there is nothing to wait for; false also when it cannot be told. */
export async function isReady(clients: ClientSet, names: readonly string[]): Promise<boolean> {
  const { serviceAccounts, configMaps } = clients.core.v1;
  try {
    await Promise.all([serviceAccounts('default').get(account), configMaps('default').get(authority)]);
    return (await notReady(clients, names)).length === 0;
  } catch {
    return false;
  }
}

const account = 'default';
const authority = 'kube-root-ca.crt';

async function notReady(clients: ClientSet, names: readonly string[]): Promise<string[]> {
  const { items } = await clients.core.v1.nodes().list();
  const ready = new Set(items.filter(isNodeReady).map(({ metadata }) => metadata.name));
  return names.filter((name) => !ready.has(name));
}

const isNodeReady = ({ status, spec }: Node): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true &&
  !spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready');
