/** Deployments: sets of pods that move from one template to the next, and back. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { DeploymentController } from './deployment-controller.ts';

export const deploymentController: ControllerDefinition = {
  name: 'deployment-controller',
  aliases: ['deployment'],
  create: (context) => new DeploymentController(context),
};
