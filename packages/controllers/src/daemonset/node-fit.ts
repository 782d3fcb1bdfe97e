import type { DaemonSet } from '@coxswain/api/apps/v1';
import type { Node } from '@coxswain/api/core/v1';
import { requiredNodeAffinity, untoleratedTaint } from '@coxswain/component-helpers';
import { tolerationsOf } from './daemon-pod.ts';

export interface NodeFit {
  /** A pod is to be put on the node if there is none. */
  readonly shouldRun: boolean;
  /** A pod that is on the node may stay. */
  readonly shouldContinue: boolean;
}

const fits: NodeFit = { shouldRun: true, shouldContinue: true };
const mayStay: NodeFit = { shouldRun: false, shouldContinue: true };
const fitsNot: NodeFit = { shouldRun: false, shouldContinue: false };

/** Tells of nodes whether the set's pods belong there. */
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
