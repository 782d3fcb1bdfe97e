import type { Node, Pod } from '@coxswain/api/core/v1';
import { writeJson } from '@coxswain/apimachinery/codec/json';
import { ownEntry } from '@coxswain/apimachinery/json';
import { requiredNodeAffinity, untoleratedTaint } from '@coxswain/component-helpers';
import type { CountsCache } from '../../topology/counts-cache.ts';
import type { CountPods, DomainCounts } from '../../topology/domain-counts.ts';
import { countMatchingPods, type SpreadConstraint } from './spread-constraint.ts';

/**
 * Returns, for each constraint, the counts of matching pods by domain. Only nodes are counted that the constraint's policies include and,
 * with `requireAllKeys`, that have the topology keys of all constraints.
 */
export function spreadCounts(
  cache: CountsCache,
  pod: Pod,
  constraints: readonly SpreadConstraint[],
  requireAllKeys: boolean,
): DomainCounts[] {
  const keys = requireAllKeys ? constraints.map(({ topologyKey }) => topologyKey) : [];
  return constraints.map((constraint) =>
    cache.get(cacheKey(pod, constraint, keys), constraint.topologyKey, () => countPods(pod, constraint, keys)),
  );
}

/** Contains everything that `countPods` depends on. */
function cacheKey({ metadata, spec }: Pod, constraint: SpreadConstraint, keys: readonly string[]): string {
  const { selector, honorsAffinity, honorsTaints } = constraint;
  const affinity = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const nodes =
    honorsAffinity && (affinity || spec?.nodeSelector) ? JSON.stringify([spec?.nodeSelector, affinity]) : '';
  const taints = honorsTaints ? `!${writeJson(spec?.tolerations ?? [])}` : '';
  return `${metadata.namespace}\n${selector}\n${keys.join()}\n${nodes}\n${taints}`;
}

function countPods(pod: Pod, constraint: SpreadConstraint, keys: readonly string[]): CountPods {
  const isIncluded = nodeInclusion(pod, constraint);
  const { namespace } = pod.metadata;
  return (info) => {
    const { node } = info;
    if (!node || !hasLabels(node, keys) || !isIncluded(node)) return -1;
    return countMatchingPods(info, constraint.selector, namespace);
  };
}

function nodeInclusion({ spec }: Pod, { honorsAffinity, honorsTaints }: SpreadConstraint): (node: Node) => boolean {
  const isWanted = honorsAffinity && spec ? requiredNodeAffinity(spec) : () => true;
  const tolerations = spec?.tolerations;
  return (node) =>
    isWanted(node) &&
    !(honorsTaints && untoleratedTaint(node.spec?.taints, tolerations, ['NoSchedule', 'NoExecute']) !== undefined);
}

export const hasLabels = ({ metadata }: Node, keys: readonly string[]): boolean =>
  keys.every((key) => ownEntry(metadata.labels, key) !== undefined);
