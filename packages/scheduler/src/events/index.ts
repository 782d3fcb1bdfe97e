/** From what informers tell to events that pods may wait for. `addEventHandlers` is the way in. */
export { addEventHandlers, type EventHandlersOptions, type EventSource } from './add-event-handlers.ts';
export {
  assignedPodAdd,
  assignedPodDelete,
  clusterEvent,
  eventLabel,
  forceActivate,
  isWildcard,
  matchesEvent,
} from './cluster-events.ts';
export type { EventCache, EventQueue } from './event-handlers-context.ts';
export { nodeChanges } from './node-changes.ts';
export { podChanges } from './pod-changes.ts';
