/** Mirrors user-created Endpoints to EndpointSlices. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import {
  EndpointSliceMirroringController,
  type EndpointSliceMirroringControllerOptions,
} from './endpoint-slice-mirroring-controller.ts';

export type { EndpointSliceMirroringControllerOptions };

/** Creates the controller with non-default settings. */
export const newEndpointSliceMirroringController = (
  options: EndpointSliceMirroringControllerOptions,
): ControllerDefinition => ({
  name: 'endpointslice-mirroring-controller',
  aliases: ['endpointslicemirroring'],
  create: (context) => new EndpointSliceMirroringController(context, options),
});

export const endpointSliceMirroringController: ControllerDefinition = newEndpointSliceMirroringController({});
