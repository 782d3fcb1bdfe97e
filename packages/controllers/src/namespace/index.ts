/** Deletion of namespaces with all that is in them. Start at `namespace-controller.ts`. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { NamespaceController } from './namespace-controller.ts';

export const namespaceController: ControllerDefinition = {
  name: 'namespace-controller',
  aliases: ['namespace'],
  create: (context) => new NamespaceController(context),
};
