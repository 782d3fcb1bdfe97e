/**
 * Caches of the server's objects that are kept up to date, with handlers for changes. `SharedIndexInformer` does this
 * for one resource; factories make and share informers; a `Lister` reads their caches. The parts are the `Reflector`,
 * which lists and watches, the `Indexer`, which holds the objects, and the `DeltaFIFO`, which queues changes for a
 * handler.
 */
export { type Delta, DeltaFIFO } from './delta-fifo.ts';
export { DynamicSharedInformerFactory, MetadataSharedInformerFactory } from './dynamic-informer-factory.ts';
export { FilteringResourceEventHandler, type ResourceEventHandler } from './event-handler.ts';
export { Indexer, type Indexers, type IndexFunc, metaNamespaceIndex, NAMESPACE_INDEX } from './indexer.ts';
export {
  type InformerErrorContext,
  type InformerErrorHandler,
  StalledError,
  VeryShortWatchError,
} from './informer-error.ts';
export { InformerSet, type InformerWithLister, type SharedInformerFactoryOptions } from './informer-set.ts';
export {
  DeletedFinalStateUnknown,
  deletedObject,
  deletionHandlingKey,
  type KeyFunc,
  metaNamespaceKey,
  splitKey,
} from './keys.ts';
export { Lister, type ListerSelector, type NamespaceLister } from './lister.ts';
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
export { type InformerGroups, SharedInformerFactory } from './shared-informer-factory.ts';
export { stripManagedFields, type Transform } from './transform.ts';
export { type Syncing, waitForCacheSync } from './wait-for-cache-sync.ts';
