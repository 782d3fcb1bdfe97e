import type { PluginDefinition } from '../../framework/handle.ts';
import { InterPodAffinity, name } from './inter-pod-affinity.ts';
import { type InterPodAffinityArgs, readInterPodAffinityArgs } from './inter-pod-affinity-args.ts';

/** Puts pods near the pods they want to be near, away from those they want to be away from, and the other way round. */
export const interPodAffinity: PluginDefinition<InterPodAffinityArgs> = {
  name,
  readArgs: readInterPodAffinityArgs,
  create: (args, handle) => new InterPodAffinity(args, handle),
};
