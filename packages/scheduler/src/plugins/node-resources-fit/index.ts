import { StateKey } from '../../framework/cycle-state.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { assumedContainerRequests } from '../../framework/pod-requests.ts';
import type { Resources } from '../../framework/resources.ts';
import { type ScoredResource, scoredResources } from '../node-resources/scored-resources.ts';
import { hasDeviceClass } from './device-classes.ts';
import { type NodeResourcesFitArgs, readFitArgs } from './fit-args.ts';
import { fitEvents } from './fit-events.ts';
import { RoomCheck, signatureOf, type WantedResources, wantedResources } from './room-check.ts';
import { nodeScorer } from './scoring-strategy.ts';

const name = 'NodeResourcesFit';

const wanted = new StateKey<WantedResources>(`PreFilter${name}`);
const scored = new StateKey<readonly ScoredResource[]>(`PreScore${name}`);

/**
 * Restricts pods to nodes with enough free resources. Scores by a strategy; the default prefers nodes with the most
 * free resources.
 */
export const nodeResourcesFit: PluginDefinition<NodeResourcesFitArgs> = {
  name,
  readArgs: readFitArgs,
  create: (args, { informers }) => {
    const { resources } = args.scoringStrategy;
    const deviceClasses = informers.resource.v1.deviceClasses.lister;
    const wantedBy = (requests: Resources): WantedResources =>
      wantedResources(requests, args, (resource) => hasDeviceClass(deviceClasses.list(), resource));
    const roomCheck = new RoomCheck();
    const score = nodeScorer(args.scoringStrategy);
    return {
      name,
      preFilter: (state, pod) => {
        state.set(wanted, wantedBy(pod.resources.requests));
        return undefined;
      },
      filter: (state, _, node) => roomCheck.check(state.get(wanted), node),
      signPod: (state) => signatureOf(state.get(wanted)),
      preScore: (state, pod) => {
        state.set(scored, scoredResources(resources, scoringRequest(pod), 'nonZeroRequested'));
        return undefined;
      },
      score: (state, _, node) => score(node, state.get(scored)),
      eventsToRegister: () => fitEvents(wantedBy),
    };
  },
};

/** Returns the amount of a resource that the pod counts with in scores, by resource name. */
function scoringRequest({ pod, resources }: PodInfo): (resource: string) => number {
  // As upstream, pod-level requests are ignored here.
  if (pod.spec?.resources?.requests) {
    const requests = assumedContainerRequests(pod);
    return (resource) => requests.get(resource);
  }
  const { requests, nonZeroCPU, nonZeroMemory } = resources;
  return (resource) => {
    if (resource === 'cpu') return nonZeroCPU;
    if (resource === 'memory') return nonZeroMemory;
    return requests.get(resource);
  };
}
