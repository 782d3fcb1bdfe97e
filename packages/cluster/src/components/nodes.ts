import type { Component } from '../component.ts';
import { untilNodesReady } from '../nodes/until-ready.ts';

/** Runs the nodes of the cluster's provider. */
export const nodes = (): Component => ({
  name: 'nodes',
  userAgent: 'kubelet',
  start: (context) => ({
    ended: context.nodes.run(context),
    async ready(clients, options) {
      await context.nodes.whenRunning?.(options.signal);
      await untilNodesReady(clients, context.nodes.specs, options);
    },
  }),
});
