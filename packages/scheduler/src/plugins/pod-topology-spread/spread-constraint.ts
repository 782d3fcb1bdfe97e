import type { Pod, TopologySpreadConstraint } from '@coxswain/api/core/v1';
import { ownEntry } from '@coxswain/apimachinery/json';
import { labelSelectorAsSelector, Requirement, type Selector } from '@coxswain/apimachinery/labels';
import type { NodeInfo } from '../../framework/node-info.ts';

/** A constraint of one pod, with its selector parsed and defaults filled in. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  /** Selects the pods to be spread. */
  readonly selector: Selector;
  readonly minDomains: number;
  /** Whether nodes are excluded that do not match the pod's node affinity, or that have taints it does not tolerate. */
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

export type WhenUnsatisfiable = TopologySpreadConstraint['whenUnsatisfiable'];

/** Returns the constraints of that kind for a pod with these labels. Throws an Error for an invalid selector. */
export function spreadConstraints(
  constraints: readonly TopologySpreadConstraint[],
  labels: Pod['metadata']['labels'],
  whenUnsatisfiable: WhenUnsatisfiable,
): SpreadConstraint[] {
  return constraints
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => ({
      maxSkew: constraint.maxSkew,
      topologyKey: constraint.topologyKey,
      selector: selectorOf(constraint, labels),
      minDomains: constraint.minDomains ?? 1,
      honorsAffinity: constraint.nodeAffinityPolicy !== 'Ignore',
      honorsTaints: constraint.nodeTaintsPolicy === 'Honor',
    }));
}

/**
 * Merges `matchLabelKeys` into the selector. For most pods the API server has already done that, and repeating it has no effect; but not
 * for pods created by older API servers, nor for default constraints.
 */
function selectorOf(
  { labelSelector, matchLabelKeys }: TopologySpreadConstraint,
  labels: Pod['metadata']['labels'],
): Selector {
  const requirements = (matchLabelKeys ?? []).flatMap((key) => {
    const value = ownEntry(labels, key);
    return value === undefined ? [] : [Requirement.ofValidated(key, value)];
  });
  return labelSelectorAsSelector(labelSelector).add(...requirements);
}

/** Counts the pods of a node that match a constraint. Terminating pods are not counted. */
export function countMatchingPods({ pods }: NodeInfo, selector: Selector, namespace: string | undefined): number {
  if (selector.isEmpty()) return 0;
  let count = 0;
  for (const { pod } of pods) {
    const { metadata } = pod;
    if (metadata.namespace === namespace && !metadata.deletionTimestamp && selector.matches(metadata.labels)) count++;
  }
  return count;
}
