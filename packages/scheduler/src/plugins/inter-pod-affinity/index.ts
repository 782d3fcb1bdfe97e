import type { PluginDefinition } from '../../framework/handle.ts';
import { InterPodAffinity, name } from './inter-pod-affinity.ts';
import { type InterPodAffinityArgs, readInterPodAffinityArgs } from './inter-pod-affinity-args.ts';

/** Schedules pods by inter-pod affinity and anti-affinity, of the pod and of existing pods. */
export const interPodAffinity: PluginDefinition<InterPodAffinityArgs> = {
  name,
  readArgs: readInterPodAffinityArgs,
  create: (args, handle) => new InterPodAffinity(args, handle),
};
