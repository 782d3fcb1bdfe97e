/** Assigns address ranges for pods (podCIDRs) to nodes. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { type NodeIpamOptions, newRangeAllocator } from './range-allocator.ts';

export type { NodeIpamOptions };

/**
 * Creates the controller. Without `clusterCIDRs` (upstream: without `--allocate-node-cidrs`) it does nothing, and `run` resolves
 * at once.
 */
export const newNodeIpamController = (options: NodeIpamOptions = {}): ControllerDefinition => ({
  name: 'node-ipam-controller',
  aliases: ['nodeipam'],
  create: (context) => newRangeAllocator(context, options),
});
