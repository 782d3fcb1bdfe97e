/** Keeps PodDisruptionBudgets' counts, by which evictions are granted, and takes back announcements of ones that never came. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { DisruptionController } from './disruption-controller.ts';

export const disruptionController: ControllerDefinition = {
  name: 'disruption-controller',
  aliases: ['disruption'],
  create: (context) => new DisruptionController(context),
};
