/** Deletes pods that nobody else would: ended ones beyond a number, and those whose node is gone. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { PodGarbageCollector, type PodGarbageCollectorOptions } from './pod-garbage-collector.ts';

/** The controller with other limits than the defaults. */
export const newPodGarbageCollectorController = (options: PodGarbageCollectorOptions = {}): ControllerDefinition => ({
  name: 'pod-garbage-collector-controller',
  aliases: ['podgc'],
  create: (context) => new PodGarbageCollector(context, options),
});
