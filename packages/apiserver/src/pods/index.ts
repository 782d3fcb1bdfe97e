/** What pods have of their own: how they are bound to nodes, evicted and deleted. */
export { type BindingRequest, createBinding } from './bind-pod.ts';
export { type EvictionDependencies, type EvictionRequest, evictPod } from './evict-pod.ts';
export {
  defaultGarbageCollectionPolicy,
  type GarbageCollectionPolicy,
  orphanedPodsWarning,
  podGracePeriodSeconds,
} from './graceful-deletion.ts';
