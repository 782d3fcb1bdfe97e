import type { NodeInfo } from '../../framework/node-info.ts';
import { maxNodeScore } from '../../framework/plugin.ts';
import type { ScoredResource } from '../node-resources/scored-resources.ts';
import { brokenLine, maxShapeScore } from './broken-line.ts';
import type { ScoringStrategy } from './fit-args.ts';

/** Returns the score of a node for the pod that `resources` was computed for. */
export type NodeScorer = (node: NodeInfo, resources: readonly ScoredResource[]) => number;

/** Returns the score of one resource; `requested` includes the pod, `capacity` is not zero. */
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

/** The requested amount may exceed the capacity, since pods without requests count with default amounts. */
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

/** Scores by the configured function. Resources with score 0 are not counted. */
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
