/** Deletes terminated pods beyond a threshold and pods of deleted or out-of-service nodes. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { PodGarbageCollector, type PodGarbageCollectorOptions } from './pod-garbage-collector.ts';

/** Creates the controller with non-default limits. */
export const newPodGarbageCollectorController = (options: PodGarbageCollectorOptions = {}): ControllerDefinition => ({
  name: 'pod-garbage-collector-controller',
  aliases: ['podgc'],
  create: (context) => new PodGarbageCollector(context, options),
});
