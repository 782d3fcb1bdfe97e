import type { Node, Pod } from '@coxswain/api/core/v1';
import { isPodTerminal } from '@coxswain/component-helpers';
import { targetNode } from './daemon-pod.ts';
import type { NodeFit } from './node-fit.ts';

/** A node as one set sees it. */
export interface NodeView extends NodeFit {
  readonly name: string;
  /** Those of the set that are on the node or meant for it. */
  readonly pods: readonly Pod[];
}

/** Where the pods of a set are. */
export interface Placement {
  /** The nodes that there are. */
  readonly nodes: readonly NodeView[];
  /** Nodes that pods are meant for though there are none of that name. */
  readonly lost: readonly NodeView[];
}

/** Finds out where a set's pods are. One that has ended and is only kept by finalizers is nobody's concern any more. */
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
