/** Gives every node the address ranges of its pods. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { type NodeIpamOptions, newRangeAllocator } from './range-allocator.ts';

export type { NodeIpamOptions };

/** Without `clusterCIDRs` (as upstream without `--allocate-node-cidrs`) it has nothing to give, and ends at once. */
export const newNodeIpamController = (options: NodeIpamOptions = {}): ControllerDefinition => ({
  name: 'node-ipam-controller',
  aliases: ['nodeipam'],
  create: (context) => newRangeAllocator(context, options),
});
