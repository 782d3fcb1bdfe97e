import type { Node } from '@coxswain/api/core/v1';
import { type ClientSet, untilWithSync, type WaitOptions } from '@coxswain/client';
import { administratorsLabels } from './node-labels.ts';
import type { NamedNode } from './node-provider.ts';

/**
 * Resolves when these nodes are ready for pods. Other nodes are ignored, for example those of an earlier cluster with
 * more nodes.
 */
export async function untilNodesReady(
  clients: ClientSet,
  expected: readonly NamedNode[],
  options: WaitOptions,
): Promise<void> {
  const { nodes } = clients.core.v1;
  // While waiting for one node, most others become ready too.
  for (let [next, ...others] = expected; next !== undefined; [next, ...others] = await notReady(clients, others)) {
    const isReadyAs = isNodeReady(next);
    await untilWithSync(nodes(), next.name, (node) => node !== undefined && isReadyAs(node), options);
  }
}

/** Returns the nodes that are not ready or do not exist. */
export async function notReady(clients: ClientSet, expected: readonly NamedNode[]): Promise<NamedNode[]> {
  const { items } = await clients.core.v1.nodes().list();
  const found = new Map(items.map((node) => [node.metadata.name, node]));
  return expected.filter((node) => {
    const there = found.get(node.name);
    return !there || !isNodeReady(node)(there);
  });
}

const isNodeReady =
  (expected: NamedNode) =>
  ({ status, spec, metadata }: Node): boolean =>
    status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true &&
    !spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready') &&
    Object.entries(administratorsLabels(expected)).every(([key, value]) => metadata.labels?.[key] === value);
