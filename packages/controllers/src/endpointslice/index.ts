/** Slices of the endpoints that services find by their selectors. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { EndpointSliceController, type EndpointSliceControllerOptions } from './endpoint-slice-controller.ts';

export type { EndpointSliceControllerOptions };

/** The controller with other settings than the usual. */
export const newEndpointSliceController = (options: EndpointSliceControllerOptions): ControllerDefinition => ({
  name: 'endpointslice-controller',
  aliases: ['endpointslice'],
  create: (context) => new EndpointSliceController(context, options),
});
