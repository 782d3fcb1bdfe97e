/**
 * The garbage collector: objects whose owners are gone go too. Start at `garbage-collector.ts`, which talks to the server;
 * `dependency-graph.ts` is what it knows.
 */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { GarbageCollector } from './garbage-collector.ts';

export const garbageCollectorController: ControllerDefinition = {
  name: 'garbage-collector-controller',
  aliases: ['garbagecollector'],
  create: (context) => new GarbageCollector(context),
};
