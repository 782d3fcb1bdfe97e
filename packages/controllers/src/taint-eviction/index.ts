/** Evicts pods from nodes with NoExecute taints that they do not tolerate, or not any longer. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { TaintEvictionController } from './taint-eviction-controller.ts';

export const taintEvictionController: ControllerDefinition = {
  name: 'taint-eviction-controller',
  aliases: [],
  create: (context) => new TaintEvictionController(context),
};
