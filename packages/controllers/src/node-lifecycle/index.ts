/** Notices nodes that have gone silent, and says so by conditions, taints and events. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { NodeLifecycleController, type NodeLifecycleOptions } from './node-lifecycle-controller.ts';

export type { NodeLifecycleOptions };

export const newNodeLifecycleController = (options: NodeLifecycleOptions = {}): ControllerDefinition => ({
  name: 'node-lifecycle-controller',
  aliases: ['nodelifecycle'],
  create: (context) => new NodeLifecycleController(context, options),
});

export const nodeLifecycleController: ControllerDefinition = newNodeLifecycleController();
