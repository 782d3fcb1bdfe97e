/** Maintains EndpointSlices of services with selectors. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { EndpointSliceController, type EndpointSliceControllerOptions } from './endpoint-slice-controller.ts';

export type { EndpointSliceControllerOptions };

/** Creates the controller with non-default settings. */
export const newEndpointSliceController = (options: EndpointSliceControllerOptions): ControllerDefinition => ({
  name: 'endpointslice-controller',
  aliases: ['endpointslice'],
  create: (context) => new EndpointSliceController(context, options),
});
