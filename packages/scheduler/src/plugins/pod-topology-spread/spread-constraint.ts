import type { Pod, TopologySpreadConstraint } from '@coxswain/api/core/v1';
import { ownEntry } from '@coxswain/apimachinery/json';
import { labelSelectorAsSelector, Requirement, type Selector } from '@coxswain/apimachinery/labels';
import type { NodeInfo } from '../../framework/node-info.ts';

/** A constraint of one pod, its selector read and its defaults filled in. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  /** The pods that are to be spread. */
  readonly selector: Selector;
  readonly minDomains: number;
  /** Whether nodes that the pod's node affinity, or its missing tolerations, keep it away from are left out of account. */
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

export type WhenUnsatisfiable = TopologySpreadConstraint['whenUnsatisfiable'];

/** The constraints of that kind, as they are for a pod with these labels. Throws when a selector cannot be read. */
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
 * The API server has merged `matchLabelKeys` into the selector, and asking for the same twice changes nothing; it did not for
 * pods that are older than it, nor for default constraints.
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

/** The pods of a node that a constraint is about. Those that are about to go do not count. */
export function countMatchingPods({ pods }: NodeInfo, selector: Selector, namespace: string | undefined): number {
  if (selector.isEmpty()) return 0;
  let count = 0;
  for (const { pod } of pods) {
    const { metadata } = pod;
    if (metadata.namespace === namespace && !metadata.deletionTimestamp && selector.matches(metadata.labels)) count++;
  }
  return count;
}
