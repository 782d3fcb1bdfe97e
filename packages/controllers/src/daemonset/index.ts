/** The DaemonSet controller: runs a pod on every eligible node. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { DaemonSetController } from './daemon-set-controller.ts';

export const daemonSetController: ControllerDefinition = {
  name: 'daemonset-controller',
  aliases: ['daemonset'],
  create: (context) => new DaemonSetController(context),
};
