import type { Node, Pod, Taint } from '@coxswain/api/core/v1';
import { toleratesTaint } from '@coxswain/component-helpers';
import { Action } from '../../framework/cluster-event.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import { Status } from '../../framework/status.ts';

const name = 'NodeUnschedulable';

/** The taint that a cordoned node gets as well, a little later. */
const unschedulable: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Rejects nodes with `spec.unschedulable`, unless the pod tolerates the corresponding taint. */
export const nodeUnschedulable: PluginDefinition = {
  name,
  create: () => {
    const rejected = Status.unresolvable('node(s) were unschedulable');
    return {
      name,
      filter: (_, { pod }, { node }) =>
        node?.spec?.unschedulable && !toleratesUnschedulable(pod) ? rejected : undefined,
      signPod: (_, { pod }) => String(toleratesUnschedulable(pod)),
      eventsToRegister: () => [
        {
          event: { resource: 'Node', action: Action.Add | Action.UpdateNodeTaint },
          hint: hintAbout<Node>((_, before, after) =>
            queueIf((!before || !!before.spec?.unschedulable) && !after?.spec?.unschedulable),
          ),
        },
        {
          event: { resource: 'Pod', action: Action.UpdatePodToleration },
          hint: hintAbout<Pod>((pod, _, after) =>
            queueIf(!!after && after.metadata.uid === pod.metadata.uid && toleratesUnschedulable(after)),
          ),
        },
      ],
    };
  },
};

const toleratesUnschedulable = ({ spec }: Pod): boolean =>
  spec?.tolerations?.some((toleration) => toleratesTaint(toleration, unschedulable)) ?? false;
