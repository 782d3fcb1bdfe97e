import { Action } from '../../framework/cluster-event.ts';
import type { PluginDefinition } from '../../framework/handle.ts';
import { Status } from '../../framework/status.ts';

const name = 'NodeName';

/** Restricts a pod with a node name to that node. */
export const nodeName: PluginDefinition = {
  name,
  create: () => {
    const rejected = Status.unresolvable("node(s) didn't match the requested node name");
    return {
      name,
      filter: (_, { pod }, node) => {
        const wanted = pod.spec?.nodeName;
        return wanted && wanted !== node.name ? rejected : undefined;
      },
      signPod: (_, { pod }) => pod.spec?.nodeName ?? '',
      eventsToRegister: () => [{ event: { resource: 'Node', action: Action.Add } }],
    };
  },
};
