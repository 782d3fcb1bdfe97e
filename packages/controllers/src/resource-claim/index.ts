/** Creates the ResourceClaims that pods request by template, and releases and deletes unused ones. */

import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { ResourceClaimController } from './resource-claim-controller.ts';

export const resourceClaimController: ControllerDefinition = {
  name: 'resourceclaim-controller',
  aliases: ['resource-claim-controller'],
  create: (context) => new ResourceClaimController(context),
};
