/** Slices of Endpoints that are made by hand. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import {
  EndpointSliceMirroringController,
  type EndpointSliceMirroringControllerOptions,
} from './endpoint-slice-mirroring-controller.ts';

export type { EndpointSliceMirroringControllerOptions };

/** The controller with other settings than the usual. */
export const newEndpointSliceMirroringController = (
  options: EndpointSliceMirroringControllerOptions,
): ControllerDefinition => ({
  name: 'endpointslice-mirroring-controller',
  aliases: ['endpointslicemirroring'],
  create: (context) => new EndpointSliceMirroringController(context, options),
});

export const endpointSliceMirroringController: ControllerDefinition = newEndpointSliceMirroringController({});
