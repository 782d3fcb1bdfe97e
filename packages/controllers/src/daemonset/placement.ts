import type { Node, Pod } from '@coxswain/api/core/v1';
import { isPodTerminal } from '@coxswain/component-helpers';
import { targetNode } from './daemon-pod.ts';
import type { NodeFit } from './node-fit.ts';

/** A node, the set's pods there, and whether they belong there. */
export interface NodeView extends NodeFit {
  readonly name: string;
  /** The set's pods that are bound to the node or meant for it. */
  readonly pods: readonly Pod[];
}

/** The nodes and the set's pods on them. */
export interface Placement {
  /** The existing nodes. */
  readonly nodes: readonly NodeView[];
  /** Nodes that do not exist but that pods are bound to or meant for. */
  readonly lost: readonly NodeView[];
}

/** Groups a set's pods by node. Terminal pods that are being deleted, and exist only because of finalizers, are ignored. */
export function placementOf(pods: readonly Pod[], nodes: Iterable<Node>, fitOf: (node: Node) => NodeFit): Placement {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNode(pod);
    if (node === undefined || (isPodTerminal(pod) && pod.metadata.deletionTimestamp)) continue;
    const others = byNode.get(node);
    if (others) others.push(pod);
    else byNode.set(node, [pod]);
  }
  const views: NodeView[] = [];
  for (const node of nodes) {
    const { name = '' } = node.metadata;
    views.push({ name, ...fitOf(node), pods: byNode.get(name) ?? [] });
    byNode.delete(name);
  }
  const fitsNot = { shouldRun: false, shouldContinue: false };
  return { nodes: views, lost: Array.from(byNode, ([name, there]) => ({ name, ...fitsNot, pods: there })) };
}
