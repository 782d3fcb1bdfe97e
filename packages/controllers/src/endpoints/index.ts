/** Maintains the Endpoints of services with selectors. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { EndpointsController, type EndpointsControllerOptions } from './endpoints-controller.ts';

export type { EndpointsControllerOptions };

/** Creates the controller with non-default settings. */
export const newEndpointsController = (options: EndpointsControllerOptions): ControllerDefinition => ({
  name: 'endpoints-controller',
  aliases: ['endpoint'],
  create: (context) => new EndpointsController(context, options),
});

export const endpointsController: ControllerDefinition = newEndpointsController({});
