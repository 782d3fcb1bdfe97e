import type { NodeInfo } from '../../framework/node-info.ts';
import { maxNodeScore } from '../../framework/plugin.ts';
import type { ScoredResource } from '../node-resources/scored-resources.ts';
import { brokenLine, maxShapeScore } from './broken-line.ts';
import type { ScoringStrategy } from './fit-args.ts';

/** The score of a node for the pod whose requests the resources hold. */
export type NodeScorer = (node: NodeInfo, resources: readonly ScoredResource[]) => number;

/** The score of one resource, by what would be requested with the pod on the node; `capacity` is not zero. */
type ResourceScorer = (requested: number, capacity: number) => number;

export function nodeScorer(strategy: ScoringStrategy): NodeScorer {
  switch (strategy.type) {
    case 'LeastAllocated':
      return weightedMean(leastAllocated);
    case 'MostAllocated':
      return weightedMean(mostAllocated);
    case 'RequestedToCapacityRatio':
      return ratioScorer(strategy.shape);
  }
}

const leastAllocated: ResourceScorer = (requested, capacity) =>
  requested > capacity ? 0 : Math.floor(((capacity - requested) * maxNodeScore) / capacity);

/** More may be requested than there is: pods that ask for nothing are counted with something. */
const mostAllocated: ResourceScorer = (requested, capacity) =>
  Math.floor((Math.min(requested, capacity) * maxNodeScore) / capacity);

const weightedMean =
  (scoreOf: ResourceScorer): NodeScorer =>
  (node, resources) => {
    let sum = 0;
    let weights = 0;
    for (const { weight, request, allocatable, requested } of resources) {
      const capacity = allocatable(node);
      if (capacity === 0) continue;
      sum += weight * scoreOf(requested(node) + request, capacity);
      weights += weight;
    }
    return weights === 0 ? 0 : Math.floor(sum / weights);
  };

/** As the administrator's function has it; resources that score nothing do not count at all. */
function ratioScorer(shape: Extract<ScoringStrategy, { type: 'RequestedToCapacityRatio' }>['shape']): NodeScorer {
  const scale = maxNodeScore / maxShapeScore;
  const line = brokenLine(shape.map(({ utilization, score }) => ({ utilization, score: score * scale })));
  return (node, resources) => {
    let sum = 0;
    let weights = 0;
    for (const { weight, request, allocatable, requested } of resources) {
      const capacity = allocatable(node);
      if (capacity === 0) continue;
      const score = line(Math.floor((Math.min(requested(node) + request, capacity) * 100) / capacity));
      if (score <= 0) continue;
      sum += weight * score;
      weights += weight;
    }
    return weights === 0 ? 0 : Math.round(sum / weights);
  };
}
