/** The Deployment controller: rolls pods out from one template to the next, and back, by means of ReplicaSets. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { DeploymentController } from './deployment-controller.ts';

export const deploymentController: ControllerDefinition = {
  name: 'deployment-controller',
  aliases: ['deployment'],
  create: (context) => new DeploymentController(context),
};
