import { StateKey } from '../../framework/cycle-state.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import type { NodeInfo } from '../../framework/node-info.ts';
import { maxNodeScore } from '../../framework/plugin.ts';
import { skip } from '../../framework/status.ts';
import { type ScoredResource, scoredResources } from '../node-resources/scored-resources.ts';
import { type NodeResourcesBalancedAllocationArgs, readBalancedAllocationArgs } from './balanced-allocation-args.ts';

const name = 'NodeResourcesBalancedAllocation';

const scored = new StateKey<readonly ScoredResource[]>(`PreScore${name}`);

/**
 * Prefers nodes whose resource usage becomes more balanced with the pod, so that for example CPU is not used up while
 * memory is left.
 */
export const nodeResourcesBalancedAllocation: PluginDefinition<NodeResourcesBalancedAllocationArgs> = {
  name,
  readArgs: readBalancedAllocationArgs,
  create: ({ resources }) => {
    const shares: Shares = { withPod: [], without: [] };
    return {
      name,
      preScore: (state, pod) => {
        const { requests } = pod.resources;
        // Pods without requests would all be scheduled to the same node.
        if (resources.every((resource) => requests.get(resource.name) === 0)) return skip;
        state.set(
          scored,
          scoredResources(resources, (resource) => requests.get(resource), 'requested'),
        );
        return undefined;
      },
      score: (state, _, node) => balanceGain(node, state.get(scored), shares),
    };
  },
};

/** Used fractions of a node's resources. The arrays are reused for every node. */
interface Shares {
  readonly withPod: number[];
  readonly without: number[];
}

/** 75 when the pod does not change the balance, up to 100 when it improves it, down to 50 when it worsens it. */
function balanceGain(node: NodeInfo, resources: readonly ScoredResource[], { withPod, without }: Shares): number {
  let count = 0;
  for (const { request, allocatable, requested } of resources) {
    const capacity = allocatable(node);
    if (capacity === 0) continue;
    const used = requested(node);
    withPod[count] = Math.min((used + request) / capacity, 1);
    without[count] = Math.min(used / capacity, 1);
    count++;
  }
  const half = maxNodeScore / 2;
  return half + Math.floor((half + evenness(withPod, count) - evenness(without, count)) / 2);
}

/** The balance of the first `count` fractions: 100 minus their standard deviation in percent. */
function evenness(shares: readonly number[], count: number): number {
  if (count < 2) return maxNodeScore;
  if (count === 2) return Math.trunc((1 - Math.abs((shares[0]! - shares[1]!) / 2)) * maxNodeScore);
  let sum = 0;
  for (let i = 0; i < count; i++) sum += shares[i]!;
  const mean = sum / count;
  let squares = 0;
  for (let i = 0; i < count; i++) squares += (shares[i]! - mean) * (shares[i]! - mean);
  return Math.trunc((1 - Math.sqrt(squares / count)) * maxNodeScore);
}
