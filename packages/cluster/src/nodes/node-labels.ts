import { forbiddenNodeLabels } from '@coxswain/apiserver';
import { type ClientSet, untilWithSync, type WaitOptions } from '@coxswain/client';
import type { NodeSpec } from '@coxswain/kubelet';

type Labels = Readonly<Record<string, string>>;

/** Returns the labels of a node that its kubelet may not set, such as `node-role.kubernetes.io/control-plane`. */
export function administratorsLabels({ labels = {} }: Pick<NodeSpec, 'labels'>): Labels {
  return Object.fromEntries(forbiddenNodeLabels(labels).map((key) => [key, labels[key] ?? '']));
}

/** Returns the node with only the labels that its kubelet may set. */
export function withKubeletLabels(spec: NodeSpec): NodeSpec {
  const forbidden = administratorsLabels(spec);
  if (Object.keys(forbidden).length === 0) return spec;
  return {
    ...spec,
    labels: Object.fromEntries(Object.entries(spec.labels ?? {}).filter(([key]) => !(key in forbidden))),
  };
}

/**
 * Sets the labels that kubelets may not set, as an administrator, when each node is registered. kubeadm does the same for control plane
 * nodes. Rejects when the signal is aborted.
 */
export async function labelNodes(
  administrator: () => ClientSet,
  specs: readonly NodeSpec[],
  options: WaitOptions,
): Promise<void> {
  const label = async (name: string, labels: Labels): Promise<void> => {
    const nodes = administrator().core.v1.nodes();
    await untilWithSync(nodes, name, (node) => node !== undefined, options);
    await nodes.patch(name, 'merge', { metadata: { labels } });
  };
  await Promise.all(
    specs
      .map((spec) => ({ name: spec.name, labels: administratorsLabels(spec) }))
      .filter(({ labels }) => Object.keys(labels).length > 0)
      .map(({ name, labels }) => label(name, labels)),
  );
}
