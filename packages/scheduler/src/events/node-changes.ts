import type { Node, NodeCondition } from '@coxswain/api/core/v1';
import { jsonEquals } from '@coxswain/apimachinery/json';
import { Action, type ClusterEvent } from '../framework/cluster-event.ts';
import { clusterEvent } from './cluster-events.ts';

type Change = readonly [event: ClusterEvent, happened: (old: Node, node: Node) => boolean];

const changes: readonly Change[] = [
  [clusterEvent('Node', Action.UpdateNodeAllocatable), (old, node) => differ(old, node, allocatable)],
  [clusterEvent('Node', Action.UpdateNodeLabel), (old, node) => differ(old, node, labels)],
  // A node that becomes schedulable again is like one that loses a taint. One that becomes unschedulable helps no pod.
  [
    clusterEvent('Node', Action.UpdateNodeTaint),
    (old, node) => (!!old.spec?.unschedulable && !node.spec?.unschedulable) || differ(old, node, taints),
  ],
  [
    clusterEvent('Node', Action.UpdateNodeCondition),
    (old, node) => !sameConditions(old.status?.conditions ?? [], node.status?.conditions ?? []),
  ],
  [clusterEvent('Node', Action.UpdateNodeAnnotation), (old, node) => differ(old, node, annotations)],
  [clusterEvent('Node', Action.UpdateNodeDeclaredFeature), (old, node) => differ(old, node, declaredFeatures)],
];

/** Returns the events for those changes of a node that may make pods schedulable; none for a heartbeat. */
export function nodeChanges(old: Node, node: Node): ClusterEvent[] {
  const events: ClusterEvent[] = [];
  for (const [event, happened] of changes) if (happened(old, node)) events.push(event);
  return events;
}

const allocatable = ({ status }: Node): unknown => status?.allocatable ?? {};
const labels = ({ metadata }: Node): unknown => metadata.labels ?? {};
const annotations = ({ metadata }: Node): unknown => metadata.annotations ?? {};
const taints = ({ spec }: Node): unknown => spec?.taints ?? [];
const declaredFeatures = ({ status }: Node): unknown => status?.declaredFeatures ?? [];

const differ = (old: Node, node: Node, part: (node: Node) => unknown): boolean => !jsonEquals(part(old), part(node));

/** Compares only type and status: times and messages change often. */
function sameConditions(a: readonly NodeCondition[], b: readonly NodeCondition[]): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every(({ type, status }, i) => {
      const same = b[i]!.type === type ? b[i] : b.find((other) => other.type === type);
      return same?.status === status;
    })
  );
}
