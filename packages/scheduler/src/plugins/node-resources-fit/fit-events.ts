import type { Node, Pod } from '@coxswain/api/core/v1';
import type { DeviceClass } from '@coxswain/api/resource/v1';
import { Action, type ClusterEventWithHint } from '../../framework/cluster-event.ts';
import { NodeInfo } from '../../framework/node-info.ts';
import { podResources } from '../../framework/pod-requests.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import { remembered } from '../../framework/remembered.ts';
import type { Resources } from '../../framework/resources.ts';
import { standsFor } from './device-classes.ts';
import { RoomCheck, type WantedResources } from './room-check.ts';

/**
 * The events that may make room for a rejected pod. `wantedBy` computes the resources that a pod wants from its
 * requests.
 */
export function fitEvents(wantedBy: (requests: Resources) => WantedResources): readonly ClusterEventWithHint[] {
  // Cached, because each event is evaluated for all waiting pods.
  const requestsOf = remembered((pod: Pod) => podResources(pod).requests);
  const emptyNode = remembered((node: Node) => new NodeInfo(node));
  const roomCheck = new RoomCheck();

  return [
    {
      event: { resource: 'Pod', action: Action.Delete | Action.UpdatePodScaleDown },
      hint: hintAbout<Pod>((pod, before, after) => {
        if (!after) return queueIf(!!before?.spec?.nodeName || !!before?.status?.nominatedNodeName);
        if (after.metadata.uid === pod.metadata.uid) return 'Queue';
        if (!before || !after.spec?.nodeName) return 'Skip';
        return queueIf(anyLess(requestsOf(before), requestsOf(after), requestsOf(pod)));
      }),
    },
    {
      event: { resource: 'Node', action: Action.Add | Action.UpdateNodeAllocatable },
      hint: hintAbout<Node>((pod, before, after) => {
        if (!after) return 'Skip';
        const wanted = wantedBy(requestsOf(pod));
        const node = emptyNode(after);
        if (roomCheck.check(wanted, node)) return 'Skip';
        return queueIf(!before || hasMore(wanted, emptyNode(before), node));
      }),
    },
    {
      event: { resource: 'resource.k8s.io/DeviceClass', action: Action.Add | Action.Update },
      hint: hintAbout<DeviceClass>((pod, before, after) => {
        if (!after || (before && before.spec.extendedResourceName === after.spec.extendedResourceName)) return 'Skip';
        return queueIf([...(requestsOf(pod).scalar?.keys() ?? [])].some((resource) => standsFor(after, resource)));
      }),
    },
  ];
}

/** Whether the changed pod now uses less of a resource that the waiting pod wants. */
function anyLess(before: Resources, after: Resources, wanted: Resources): boolean {
  return namesOf(wanted).some((name) => wanted.get(name) !== 0 && before.get(name) > after.get(name));
}

function hasMore(
  { requests, scalars }: WantedResources,
  { allocatable: before }: NodeInfo,
  { allocatable: after }: NodeInfo,
): boolean {
  if (after.allowedPodNumber > before.allowedPodNumber) return true;
  if (coreNames.some((name) => requests.get(name) > 0 && after.get(name) > before.get(name))) return true;
  return scalars.some(
    ({ name, hasDeviceClass }) => after.get(name) > before.get(name) || (hasDeviceClass && after.get(name) <= 0),
  );
}

const coreNames: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

const namesOf = ({ scalar }: Resources): readonly string[] => (scalar ? [...coreNames, ...scalar.keys()] : coreNames);
