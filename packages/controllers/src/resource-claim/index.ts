/** Makes the ResourceClaims that pods ask for by template, and frees those that nobody uses any more. */

import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { ResourceClaimController } from './resource-claim-controller.ts';

export const resourceClaimController: ControllerDefinition = {
  name: 'resourceclaim-controller',
  aliases: ['resource-claim-controller'],
  create: (context) => new ResourceClaimController(context),
};
