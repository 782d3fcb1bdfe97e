/** Detects nodes whose kubelet no longer reports, and sets conditions, taints and events for them. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { NodeLifecycleController, type NodeLifecycleOptions } from './node-lifecycle-controller.ts';

export type { NodeLifecycleOptions };

export const newNodeLifecycleController = (options: NodeLifecycleOptions = {}): ControllerDefinition => ({
  name: 'node-lifecycle-controller',
  aliases: ['nodelifecycle'],
  create: (context) => new NodeLifecycleController(context, options),
});

export const nodeLifecycleController: ControllerDefinition = newNodeLifecycleController();
