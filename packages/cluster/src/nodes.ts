import { HollowNodes } from '@coxswain/kubelet';
import type { ClusterContext } from './cluster.ts';
import { administrator } from './identities.ts';

export const defaultNodes = 2;

export function newHollowNodes({ clientOf, options, clock, random, logger }: ClusterContext): HollowNodes {
  const { nodes = defaultNodes } = options;
  return new HollowNodes({ rest: clientOf('nodes', administrator), nodes, clock, random, logger });
}
