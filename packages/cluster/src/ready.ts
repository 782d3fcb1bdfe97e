import type { Node } from '@coxswain/api/core/v1';
import { type ClientSet, untilWithSync, type WaitOptions } from '@coxswain/client';
import type { NodeSpec } from '@coxswain/kubelet';
import { administratorsLabels } from './node-labels.ts';

/** What of a node has to be known to wait for it. */
type Expected = Pick<NodeSpec, 'name' | 'labels'>;

/**
 * Resolves when pods may be created in the namespace `default` and have what each of them mounts, and these nodes are ready for
 * them. Others may be there that are not, of a cluster that once had more.
 */
export async function untilReady(
  clients: ClientSet,
  expected: readonly Expected[],
  options: WaitOptions,
): Promise<void> {
  const { serviceAccounts, configMaps, nodes } = clients.core.v1;
  await untilWithSync(serviceAccounts('default'), account, (found) => found !== undefined, options);
  await untilWithSync(configMaps('default'), authority, (found) => found !== undefined, options);
  // While one is waited for, most others become ready, too.
  for (let [next, ...others] = expected; next !== undefined; [next, ...others] = await notReady(clients, others)) {
    const isReadyAs = isNodeReady(next);
    await untilWithSync(nodes(), next.name, (node) => node !== undefined && isReadyAs(node), options);
  }
}

/** Whether there is nothing to wait for; false also when it cannot be told. */
export async function isReady(clients: ClientSet, expected: readonly Expected[]): Promise<boolean> {
  const { serviceAccounts, configMaps } = clients.core.v1;
  try {
    await Promise.all([serviceAccounts('default').get(account), configMaps('default').get(authority)]);
    return (await notReady(clients, expected)).length === 0;
  } catch {
    return false;
  }
}

const account = 'default';
const authority = 'kube-root-ca.crt';

async function notReady(clients: ClientSet, expected: readonly Expected[]): Promise<Expected[]> {
  const { items } = await clients.core.v1.nodes().list();
  const found = new Map(items.map((node) => [node.metadata.name, node]));
  return expected.filter((node) => {
    const there = found.get(node.name);
    return !there || !isNodeReady(node)(there);
  });
}

const isNodeReady =
  (expected: Expected) =>
  ({ status, spec, metadata }: Node): boolean =>
    status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true &&
    !spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready') &&
    Object.entries(administratorsLabels(expected)).every(([key, value]) => metadata.labels?.[key] === value);
