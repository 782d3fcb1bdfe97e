import type { PluginDefinition } from '../../framework/handle.ts';

const name = 'PrioritySort';

/** Sorts by priority, then by waiting time. */
export const prioritySort: PluginDefinition = {
  name,
  create: () => ({
    name,
    less: (a, b) => {
      const difference = b.info.priority - a.info.priority;
      return difference === 0 ? a.timestamp < b.timestamp : difference < 0;
    },
  }),
};
