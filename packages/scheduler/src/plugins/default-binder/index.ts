import type { PluginDefinition } from '../../framework/handle.ts';
import { Status } from '../../framework/status.ts';

const name = 'DefaultBinder';

/** Binds pods through their `binding` subresource. */
export const defaultBinder: PluginDefinition = {
  name,
  create: (_, { clients }) => ({
    name,
    bind: async (_state, { pod: { metadata } }, nodeName, signal) => {
      const { name: podName = '', namespace = '', uid } = metadata;
      try {
        await clients.core.v1.pods(namespace).bind(
          podName,
          // With the UID, the binding fails for another pod of the same name.
          { metadata: { name: podName, namespace, ...(uid && { uid }) }, target: { kind: 'Node', name: nodeName } },
          { signal },
        );
        return undefined;
      } catch (error) {
        return Status.failed(error);
      }
    },
  }),
};
