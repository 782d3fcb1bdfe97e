import type { Pod } from '@coxswain/api/core/v1';
import { Action } from '../../framework/cluster-event.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import { type HostPort, hostPortsOf, UsedPorts } from '../../framework/host-ports.ts';
import { hintAbout, queueIf } from '../../framework/queueing-hint.ts';
import { Status, skip } from '../../framework/status.ts';

const name = 'NodePorts';

/** Rejects nodes on which a host port of the pod is already in use. */
export const nodePorts: PluginDefinition = {
  name,
  create: () => {
    const rejected = Status.unschedulable("node(s) didn't have free ports for the requested pod ports");
    return {
      name,
      preFilter: (_, { hostPorts }) => (hostPorts.length === 0 ? skip : undefined),
      filter: (_, { hostPorts }, { usedPorts }) =>
        !usedPorts.isEmpty && conflict(hostPorts, usedPorts) ? rejected : undefined,
      signPod: (_, { hostPorts }) => JSON.stringify(hostPorts),
      eventsToRegister: () => [
        {
          event: { resource: 'Pod', action: Action.Delete },
          hint: hintAbout<Pod>((pod, deleted) => queueIf(!!deleted && freesPortOf(pod, deleted))),
        },
        { event: { resource: 'Node', action: Action.Add } },
      ],
    };
  },
};

function conflict(wanted: readonly HostPort[], used: UsedPorts): boolean {
  for (const port of wanted) if (used.conflictsWith(port)) return true;
  return false;
}

/** Only pods with a node or a nomination occupy ports. */
function freesPortOf(pod: Pod, deleted: Pod): boolean {
  if (!deleted.spec?.nodeName && !deleted.status?.nominatedNodeName) return false;
  const freed = new UsedPorts();
  for (const port of hostPortsOf(deleted)) freed.add(port);
  return conflict(hostPortsOf(pod), freed);
}
