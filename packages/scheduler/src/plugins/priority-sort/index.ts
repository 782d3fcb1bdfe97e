import type { PluginDefinition } from '../../framework/handle.ts';
import type { QueuedPod } from '../../framework/plugin.ts';

const name = 'PrioritySort';

/** Pods of higher priority come first; among equals those that wait longer. */
export const prioritySort: PluginDefinition = {
  name,
  create: () => ({
    name,
    less: (a, b) => {
      const difference = priorityOf(b) - priorityOf(a);
      return difference === 0 ? a.timestamp < b.timestamp : difference < 0;
    },
  }),
};

const priorityOf = ({ info }: QueuedPod): number => info.pod.spec?.priority ?? 0;
