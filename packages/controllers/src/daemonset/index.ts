/** DaemonSets: a pod on every node that they are for. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { DaemonSetController } from './daemon-set-controller.ts';

export const daemonSetController: ControllerDefinition = {
  name: 'daemonset-controller',
  aliases: ['daemonset'],
  create: (context) => new DaemonSetController(context),
};
