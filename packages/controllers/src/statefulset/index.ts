/** The StatefulSet controller: runs pods with stable names and volumes, by default one after the other. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { StatefulSetController } from './stateful-set-controller.ts';

export const statefulSetController: ControllerDefinition = {
  name: 'statefulset-controller',
  aliases: ['statefulset'],
  create: (context) => new StatefulSetController(context),
};
