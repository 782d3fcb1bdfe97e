import type { PluginDefinition } from '../../framework/handle.ts';

const name = 'PrioritySort';

/** Pods of higher priority come first; among equals those that wait longer. */
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
