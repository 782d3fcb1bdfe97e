import type { Node, NodeSelector } from '@coxswain/api/core/v1';
import { Path } from '@coxswain/apimachinery/field';
import { nodeSelectorTest } from '@coxswain/component-helpers';

/** The node selection fields that slices and devices have in common. */
interface NodeSelection {
  readonly nodeName?: string;
  readonly allNodes?: boolean;
  readonly nodeSelector?: NodeSelector;
}

/**
 * Returns a predicate for the selected nodes; without any field it selects none. Throws an Error for an invalid node
 * selector.
 */
export function nodeTest({ nodeName, allNodes, nodeSelector }: NodeSelection): (node: Node) => boolean {
  if (nodeName) return ({ metadata }) => metadata.name === nodeName;
  if (allNodes) return () => true;
  if (!nodeSelector) return () => false;
  const errors: string[] = [];
  const test = nodeSelectorTest(nodeSelector, Path.of(''), errors);
  if (errors.length > 0) {
    throw new Error(`failed to parse node selector ${JSON.stringify(nodeSelector)}: ${errors.join(', ')}`);
  }
  return test;
}
