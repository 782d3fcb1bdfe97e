import { Action, type ClusterEvent, type EventResource } from '../framework/cluster-event.ts';

/** `Add`, `UpdateNodeLabel`: metrics and messages know changes by these. A change that has no finer name is an `Update`. */
const actionNames: ReadonlyMap<number, string> = new Map(
  Object.entries(Action).map(([name, bits]) => [bits, bits === Action.UpdateOther ? 'Update' : name]),
);

/** What messages and metrics call the event: `NodeAdd`, `AssignedPodDelete`. */
export const eventLabel = ({ label, resource, action }: ClusterEvent): string =>
  label ?? `${resource}${actionNames.get(action) ?? ''}`;

/** An event that has its label ready. */
export const clusterEvent = (resource: EventResource, action: number, called: string = resource): ClusterEvent => ({
  resource,
  action,
  label: `${called}${actionNames.get(action) ?? ''}`,
});

/** Such an event is about everything: all pods that wait are worth another try. */
export const isWildcard = ({ resource, action }: ClusterEvent): boolean => resource === '*' && action === Action.All;

/**
 * Whether what happened is what was registered, or a special case of it. What happens is one action: an update that is none
 * of the finer kinds is `UpdateOther`, so it does not match who registered only for finer ones.
 */
export const matchesEvent = (registered: ClusterEvent, happened: ClusterEvent): boolean =>
  isWildcard(registered) ||
  ((registered.resource === '*' || registered.resource === happened.resource) &&
    (registered.action & happened.action) !== 0);

/** Plug-ins register for pods; people are told whether the pod had a node. */
export const assignedPod = 'AssignedPod';
export const unscheduledPod = 'UnschedulablePod';

export const assignedPodAdd: ClusterEvent = clusterEvent('Pod', Action.Add, assignedPod);
export const assignedPodDelete: ClusterEvent = clusterEvent('Pod', Action.Delete, assignedPod);
export const unscheduledPodAdd: ClusterEvent = clusterEvent('Pod', Action.Add, unscheduledPod);
export const unscheduledPodUpdate: ClusterEvent = clusterEvent('Pod', Action.UpdateOther, unscheduledPod);
export const unscheduledPodDelete: ClusterEvent = clusterEvent('Pod', Action.Delete, unscheduledPod);
export const nodeAdd: ClusterEvent = clusterEvent('Node', Action.Add);
export const nodeDelete: ClusterEvent = clusterEvent('Node', Action.Delete);
/** A pod has waited so long that nobody trusts the hints any more. */
export const unschedulableTimeout: ClusterEvent = { resource: '*', action: Action.All, label: 'UnschedulableTimeout' };
/** A plug-in wants a pod tried at once. */
export const forceActivate: ClusterEvent = { resource: '*', action: Action.All, label: 'ForceActivate' };
