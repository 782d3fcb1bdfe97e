/**
 * The garbage collector deletes objects whose owners have been deleted. Start at `garbage-collector.ts`, which sends the
 * requests; `dependency-graph.ts` holds its state.
 */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { GarbageCollector } from './garbage-collector.ts';

export const garbageCollectorController: ControllerDefinition = {
  name: 'garbage-collector-controller',
  aliases: ['garbagecollector'],
  create: (context) => new GarbageCollector(context),
};
