import type { Node } from '@coxswain/api/core/v1';
import { type ClientSet, untilWithSync, type WaitOptions } from '@coxswain/client';

/** Resolves when pods may be created in the namespace `default`, and so many nodes are ready for them. */
export async function untilReady(clients: ClientSet, nodeCount: number, options: WaitOptions): Promise<void> {
  const { serviceAccounts, nodes } = clients.core.v1;
  await untilWithSync(serviceAccounts('default'), 'default', (account) => account !== undefined, options);
  for (;;) {
    const { items } = await nodes().list();
    const waiting = items.find((node) => !isReady(node));
    if (!waiting && items.length >= nodeCount) return;
    // Which one is waited for does not matter: in the end it must be all of them.
    if (waiting) await untilWithSync(nodes(), waiting.metadata.name ?? '', (node) => !node || isReady(node), options);
    else await nextNode(clients, items.length, options);
  }
}

const isReady = ({ status, spec }: Node): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true &&
  !spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready');

/** Resolves when there are more than so many. */
async function nextNode(clients: ClientSet, known: number, { signal }: WaitOptions): Promise<void> {
  const watch = await clients.core.v1.nodes().watch({ ...(signal && { signal }) });
  let seen = 0;
  // Without a resource version it begins with those that are there.
  for await (const { type } of watch) if (type === 'ADDED' && ++seen > known) return;
  signal?.throwIfAborted();
}
