/** Creates the non-expiring tokens in service account token Secrets, the predecessor of bound tokens. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import {
  ServiceAccountTokenController,
  type ServiceAccountTokenControllerOptions,
} from './service-account-token-controller.ts';

export type { ServiceAccountTokenControllerOptions };

/** Creates the controller with its signing key. */
export const serviceAccountTokenController = (options: ServiceAccountTokenControllerOptions): ControllerDefinition => ({
  name: 'serviceaccount-token-controller',
  aliases: ['serviceaccount-token'],
  create: (context) => new ServiceAccountTokenController(context, options),
});
