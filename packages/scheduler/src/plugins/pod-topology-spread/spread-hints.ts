import type { Node, Pod } from '@coxswain/api/core/v1';
import { jsonEquals, ownEntry } from '@coxswain/apimachinery/json';
import { Action, type ClusterEventWithHint, type QueueingHint } from '../../framework/cluster-event.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import type { SpreadConstraint } from './spread-constraint.ts';
import { hasLabels } from './spread-counts.ts';

type ConstraintsOf = (pod: Pod) => readonly SpreadConstraint[];

/** The events that may make a pod schedulable whose DoNotSchedule constraints no node satisfied. */
export function spreadEvents(constraintsOf: ConstraintsOf): ClusterEventWithHint[] {
  return [
    {
      event: {
        resource: 'Pod',
        action: Action.Add | Action.UpdatePodLabel | Action.UpdatePodToleration | Action.Delete,
      },
      hint: hintAbout<Pod>((pod, before, after) => afterPodChange(constraintsOf, pod, before, after)),
    },
    {
      event: {
        resource: 'Node',
        action: Action.Add | Action.Delete | Action.UpdateNodeLabel | Action.UpdateNodeTaint,
      },
      hint: hintAbout<Node>((pod, before, after) => afterNodeChange(constraintsOf(pod), before, after)),
    },
  ];
}

function afterPodChange(
  constraintsOf: ConstraintsOf,
  pod: Pod,
  before: Pod | undefined,
  after: Pod | undefined,
): QueueingHint {
  if ((after && !isInvolved(after, pod)) || (before && !isInvolved(before, pod))) return 'Skip';
  const constraints = constraintsOf(pod);
  if (!before || !after) {
    const labels = (after ?? before)?.metadata.labels;
    return queueIf(constraints.some(({ selector }) => selector.matches(labels)));
  }
  const toleratesOther = !jsonEquals(before.spec?.tolerations ?? [], after.spec?.tolerations ?? []);
  if (pod.metadata.uid === after.metadata.uid && toleratesOther && constraints.some(({ honorsTaints }) => honorsTaints))
    return 'Queue';
  const { labels: old } = before.metadata;
  const { labels } = after.metadata;
  return queueIf(constraints.some(({ selector }) => selector.matches(old) !== selector.matches(labels)));
}

/** Whether the changed pod is the waiting pod itself, or one of its namespace with a node or a nomination. */
function isInvolved({ metadata, spec, status }: Pod, pod: Pod): boolean {
  if (metadata.uid === pod.metadata.uid) return true;
  return !!(spec?.nodeName || status?.nominatedNodeName) && metadata.namespace === pod.metadata.namespace;
}

function afterNodeChange(
  constraints: readonly SpreadConstraint[],
  before: Node | undefined,
  after: Node | undefined,
): QueueingHint {
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  const didMatch = !!before && hasLabels(before, keys);
  const matches = !!after && hasLabels(after, keys);
  if (!before || !after || didMatch !== matches) return queueIf(didMatch || matches);
  const isMoved = keys.some((key) => ownEntry(before.metadata.labels, key) !== ownEntry(after.metadata.labels, key));
  return queueIf(matches && (isMoved || !jsonEquals(before.spec?.taints ?? [], after.spec?.taints ?? [])));
}
