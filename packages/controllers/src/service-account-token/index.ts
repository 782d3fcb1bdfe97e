/** Tokens in Secrets, as they were before pods were given tokens that expire. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import {
  ServiceAccountTokenController,
  type ServiceAccountTokenControllerOptions,
} from './service-account-token-controller.ts';

export type { ServiceAccountTokenControllerOptions };

/** The controller with the key that it signs by. */
export const serviceAccountTokenController = (options: ServiceAccountTokenControllerOptions): ControllerDefinition => ({
  name: 'serviceaccount-token-controller',
  aliases: ['serviceaccount-token'],
  create: (context) => new ServiceAccountTokenController(context, options),
});
