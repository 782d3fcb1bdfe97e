export { type Delta, DeltaFIFO } from './delta-fifo.ts';
export { FilteringResourceEventHandler, type ResourceEventHandler } from './event-handler.ts';
export { Indexer, type Indexers, type IndexFunc, metaNamespaceIndex, NAMESPACE_INDEX } from './indexer.ts';
export {
  type InformerErrorContext,
  type InformerErrorHandler,
  StalledError,
  VeryShortWatchError,
} from './informer-error.ts';
export { DeletedFinalStateUnknown, deletionHandlingKey, type KeyFunc, metaNamespaceKey, splitKey } from './keys.ts';
export type { ListerWatcher } from './lister-watcher.ts';
export type { ResourceEventHandlerRegistration } from './processor-listener.ts';
export { Reflector, type ReflectorOptions, type ReflectorStore } from './reflector.ts';
export type { ReflectorState } from './reflector-state.ts';
export {
  type HandlerOptions,
  SharedIndexInformer,
  type SharedIndexInformerOptions,
  type SharedInformer,
} from './shared-index-informer.ts';
export { stripManagedFields, type Transform } from './transform.ts';
