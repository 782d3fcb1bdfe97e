/**
 * Caches of what a server has, kept current, and word of every change. `SharedIndexInformer` is the whole of it for one
 * resource; a factory makes and shares them; a `Lister` reads them. Below are the parts: the `Reflector` that lists and
 * watches, the `Indexer` that holds the objects, and the `DeltaFIFO` where changes wait for a handler.
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
