/**
 * Maintains the counts in the status of PodDisruptionBudgets, by which evictions are granted, and resets stale DisruptionTarget
 * conditions of pods.
 */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { DisruptionController } from './disruption-controller.ts';

export const disruptionController: ControllerDefinition = {
  name: 'disruption-controller',
  aliases: ['disruption'],
  create: (context) => new DisruptionController(context),
};
