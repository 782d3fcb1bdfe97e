import type { Node, NodeSelector } from '@coxswain/api/core/v1';
import { Path } from '@coxswain/apimachinery/field';
import { nodeSelectorTest } from '@coxswain/component-helpers';

/** Which nodes can use something: the fields that slices and their devices have in common. */
interface NodeSelection {
  readonly nodeName?: string;
  readonly allNodes?: boolean;
  readonly nodeSelector?: NodeSelector;
}

/** Tells for which nodes it is: for none when nothing is said. Throws when its selector cannot be read. */
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
