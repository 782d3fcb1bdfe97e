import type { DaemonSet } from '@coxswain/api/apps/v1';
import type { Node } from '@coxswain/api/core/v1';
import { requiredNodeAffinity, untoleratedTaint } from '@coxswain/component-helpers';
import { tolerationsOf } from './daemon-pod.ts';

export interface NodeFit {
  /** If there is no pod on the node, one is created. */
  readonly shouldRun: boolean;
  /** An existing pod on the node is kept. */
  readonly shouldContinue: boolean;
}

const fits: NodeFit = { shouldRun: true, shouldContinue: true };
const mayStay: NodeFit = { shouldRun: false, shouldContinue: true };
const fitsNot: NodeFit = { shouldRun: false, shouldContinue: false };

/** Returns a function that says whether the set's pods should run on a node. */
export function nodeFitOf({ spec }: DaemonSet): (node: Node) => NodeFit {
  const podSpec = spec?.template.spec ?? { containers: [] };
  const { nodeName } = podSpec;
  const tolerations = tolerationsOf(podSpec);
  const matches = requiredNodeAffinity(podSpec);
  return (node) => {
    if ((nodeName && nodeName !== node.metadata.name) || !matches(node)) return fitsNot;
    const taints = node.spec?.taints;
    if (untoleratedTaint(taints, tolerations, ['NoExecute'])) return fitsNot;
    return untoleratedTaint(taints, tolerations, ['NoSchedule']) ? mayStay : fits;
  };
}
