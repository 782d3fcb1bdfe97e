import type { PluginDefinition } from '../../framework/handle.ts';
import { name, PodTopologySpread } from './pod-topology-spread.ts';
import { type PodTopologySpreadArgs, readPodTopologySpreadArgs } from './pod-topology-spread-args.ts';

/** Spreads pods over topology domains by their topology spread constraints, or the default ones. */
export const podTopologySpread: PluginDefinition<PodTopologySpreadArgs> = {
  name,
  readArgs: readPodTopologySpreadArgs,
  create: (args, handle) => new PodTopologySpread(args, handle),
};
