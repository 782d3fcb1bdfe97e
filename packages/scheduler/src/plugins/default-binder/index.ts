import type { PluginDefinition } from '../../framework/handle.ts';
import { Status } from '../../framework/status.ts';

const name = 'DefaultBinder';

/** Binds pods by their `binding` subresource. */
export const defaultBinder: PluginDefinition = {
  name,
  create: (_, { clients }) => ({
    name,
    bind: async (_state, { pod: { metadata } }, nodeName, signal) => {
      const { name: podName = '', namespace = '', uid } = metadata;
      try {
        await clients.core.v1.pods(namespace).bind(
          podName,
          // With the uid: another pod of that name must not get this one's place.
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
