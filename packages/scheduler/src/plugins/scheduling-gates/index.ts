import type { Pod } from '@coxswain/api/core/v1';
import { Action } from '../../framework/cluster-event.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import { Status } from '../../framework/status.ts';

const name = 'SchedulingGates';

/** Keeps pods with `spec.schedulingGates` out of the active queue. */
export const schedulingGates: PluginDefinition = {
  name,
  create: () => ({
    name,
    preEnqueue: ({ spec }) => {
      const gates = spec?.schedulingGates;
      if (!gates?.length) return undefined;
      return Status.unresolvable(`waiting for scheduling gates: [${gates.map((gate) => gate.name).join(' ')}]`);
    },
    eventsToRegister: () => [
      {
        event: { resource: 'Pod', action: Action.UpdatePodSchedulingGatesEliminated },
        hint: hintAbout<Pod>((pod, _, after) => queueIf(after?.metadata.uid === pod.metadata.uid)),
      },
    ],
  }),
};
