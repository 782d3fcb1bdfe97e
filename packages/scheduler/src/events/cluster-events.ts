import { Action, type ClusterEvent, type EventResource } from '../framework/cluster-event.ts';

/** Names of actions in metrics and messages: `Add`, `UpdateNodeLabel`. An update without a specific action is an `Update`. */
const actionNames: ReadonlyMap<number, string> = new Map(
  Object.entries(Action).map(([name, bits]) => [bits, bits === Action.UpdateOther ? 'Update' : name]),
);

/** The name of an event in messages and metrics: `NodeAdd`, `AssignedPodDelete`. */
export const eventLabel = ({ label, resource, action }: ClusterEvent): string =>
  label ?? `${resource}${actionNames.get(action) ?? ''}`;

/** Creates an event with a precomputed label. */
export const clusterEvent = (resource: EventResource, action: number, called: string = resource): ClusterEvent => ({
  resource,
  action,
  label: `${called}${actionNames.get(action) ?? ''}`,
});

/** A wildcard event concerns everything: all waiting pods are retried. */
export const isWildcard = ({ resource, action }: ClusterEvent): boolean => resource === '*' && action === Action.All;

/**
 * Returns whether the event that happened matches the registered one. An event that happens has a single action. An update that is none of
 * the specific actions has `UpdateOther`, so it does not match a registration for specific actions only.
 */
export const matchesEvent = (registered: ClusterEvent, happened: ClusterEvent): boolean =>
  isWildcard(registered) ||
  ((registered.resource === '*' || registered.resource === happened.resource) &&
    (registered.action & happened.action) !== 0);

/** Labels distinguish pods with and without a node, although plug-ins register for `Pod`. */
export const assignedPod = 'AssignedPod';
export const unscheduledPod = 'UnschedulablePod';

export const assignedPodAdd: ClusterEvent = clusterEvent('Pod', Action.Add, assignedPod);
export const assignedPodDelete: ClusterEvent = clusterEvent('Pod', Action.Delete, assignedPod);
export const unscheduledPodAdd: ClusterEvent = clusterEvent('Pod', Action.Add, unscheduledPod);
export const unscheduledPodUpdate: ClusterEvent = clusterEvent('Pod', Action.UpdateOther, unscheduledPod);
export const unscheduledPodDelete: ClusterEvent = clusterEvent('Pod', Action.Delete, unscheduledPod);
export const nodeAdd: ClusterEvent = clusterEvent('Node', Action.Add);
export const nodeDelete: ClusterEvent = clusterEvent('Node', Action.Delete);
/** A pod has waited for so long that it is retried regardless of hints. */
export const unschedulableTimeout: ClusterEvent = { resource: '*', action: Action.All, label: 'UnschedulableTimeout' };
/** A plug-in asks to retry a pod at once. */
export const forceActivate: ClusterEvent = { resource: '*', action: Action.All, label: 'ForceActivate' };
