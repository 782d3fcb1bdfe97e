/** The namespace controller: deletes terminating namespaces with their content. Start at `namespace-controller.ts`. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { NamespaceController } from './namespace-controller.ts';

export const namespaceController: ControllerDefinition = {
  name: 'namespace-controller',
  aliases: ['namespace'],
  create: (context) => new NamespaceController(context),
};
