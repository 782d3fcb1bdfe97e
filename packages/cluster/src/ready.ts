import type { Node } from '@coxswain/api/core/v1';
import { type ClientSet, untilWithSync, type WaitOptions } from '@coxswain/client';

/**
 * Resolves when pods may be created in the namespace `default` and have what each of them mounts, and these nodes are ready for
 * them. Others may be there that are not, of a cluster that once had more.
 */
export async function untilReady(clients: ClientSet, names: readonly string[], options: WaitOptions): Promise<void> {
  const { serviceAccounts, configMaps, nodes } = clients.core.v1;
  await untilWithSync(serviceAccounts('default'), 'default', (account) => account !== undefined, options);
  await untilWithSync(configMaps('default'), 'kube-root-ca.crt', (authority) => authority !== undefined, options);
  // While one is waited for, most others become ready, too.
  for (let waiting = names; waiting[0] !== undefined; ) {
    await untilWithSync(nodes(), waiting[0], (node) => node !== undefined && isReady(node), options);
    const { items } = await nodes().list();
    const ready = new Set(items.filter(isReady).map(({ metadata }) => metadata.name));
    waiting = waiting.filter((name) => !ready.has(name));
  }
}

const isReady = ({ status, spec }: Node): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true &&
  !spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready');
