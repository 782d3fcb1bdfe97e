import type { ContainerStatus, Pod } from '@coxswain/api/core/v1';
import { jsonEquals } from '@coxswain/apimachinery/json';
import { podCondition } from '@coxswain/component-helpers';
import { Action, type ClusterEvent } from '../framework/cluster-event.ts';
import { podResources } from '../framework/pod-requests.ts';
import type { Resources } from '../framework/resources.ts';
import { assignedPod, clusterEvent, unscheduledPod } from './cluster-events.ts';

type Change = readonly [action: number, happened: (old: Pod, pod: Pod) => boolean];

const changes: readonly Change[] = [
  [Action.UpdatePodLabel, (old, pod) => !jsonEquals(old.metadata.labels ?? nothing, pod.metadata.labels ?? nothing)],
  [Action.UpdatePodScaleDown, isScaledDown],
  [Action.UpdatePodSchedulingGatesEliminated, (old, pod) => gates(old) > 0 && gates(pod) === 0],
  // Tolerations can only be added, so their number is enough.
  [
    Action.UpdatePodToleration,
    (old, pod) => (old.spec?.tolerations?.length ?? 0) !== (pod.spec?.tolerations?.length ?? 0),
  ],
  [Action.UpdatePodGeneratedResourceClaim, haveOtherClaims],
];

const eventsOf = (called: string): ReadonlyMap<number, ClusterEvent> =>
  new Map([Action.UpdateOther, ...changes.map(([action]) => action)].map((a) => [a, clusterEvent('Pod', a, called)]));

const assignedEvents = eventsOf(assignedPod);
const unscheduledEvents = eventsOf(unscheduledPod);

/**
 * Returns the events for the changes of a pod that may affect itself or other pods. Never empty: a change without a specific action is
 * `UpdateOther`.
 */
export function podChanges(old: Pod, pod: Pod): ClusterEvent[] {
  const events = pod.spec?.nodeName ? assignedEvents : unscheduledEvents;
  const found: ClusterEvent[] = [];
  for (const [action, happened] of changes) if (happened(old, pod)) found.push(events.get(action)!);
  if (found.length === 0) found.push(events.get(Action.UpdateOther)!);
  return found;
}

const gates = ({ spec }: Pod): number => spec?.schedulingGates?.length ?? 0;

function haveOtherClaims({ status: old }: Pod, { status }: Pod): boolean {
  return (
    !jsonEquals(old?.resourceClaimStatuses ?? none, status?.resourceClaimStatuses ?? none) ||
    !jsonEquals(old?.extendedResourceClaimStatus ?? null, status?.extendedResourceClaimStatus ?? null)
  );
}

/** Shared empty values: in most comparisons both sides are absent, and then the same object. */
const nothing = {};
const none: readonly never[] = [];

/** True when any request has decreased. */
function isScaledDown(old: Pod, pod: Pod): boolean {
  if (hasSameResources(old, pod)) return false;
  const { requests: before } = podResources(old);
  const { requests: after } = podResources(pod);
  return (
    before.milliCPU > after.milliCPU ||
    before.memory > after.memory ||
    before.ephemeralStorage > after.ephemeralStorage ||
    lessOfScalar(before, after)
  );
}

function lessOfScalar(before: Resources, after: Resources): boolean {
  for (const [name, amount] of before.scalar ?? []) if (amount > (after.scalar?.get(name) ?? 0)) return true;
  return false;
}

/**
 * Compares everything that the requests are computed from. Usually both states share the same objects, because informers reuse unchanged
 * parts.
 */
function hasSameResources(old: Pod, pod: Pod): boolean {
  return (
    jsonEquals(old.spec, pod.spec) &&
    haveSameResources(old.status?.containerStatuses, pod.status?.containerStatuses) &&
    haveSameResources(old.status?.initContainerStatuses, pod.status?.initContainerStatuses) &&
    jsonEquals(old.status?.resources, pod.status?.resources) &&
    jsonEquals(old.status?.allocatedResources, pod.status?.allocatedResources) &&
    jsonEquals(podCondition(old, 'PodResizePending'), podCondition(pod, 'PodResizePending'))
  );
}

type Statuses = readonly ContainerStatus[] | null | undefined;

/** Compares only the resources: the rest of a container's status changes often. */
function haveSameResources(old: Statuses, now: Statuses): boolean {
  if (old === now) return true;
  const before = old ?? [];
  const after = now ?? [];
  return (
    before.length === after.length &&
    before.every(({ name, resources, allocatedResources }, i) => {
      const same = after[i]!;
      return (
        name === same.name &&
        jsonEquals(resources, same.resources) &&
        jsonEquals(allocatedResources, same.allocatedResources)
      );
    })
  );
}
