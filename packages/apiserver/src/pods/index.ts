/** What pods have of their own: how they are bound to nodes, and evicted. */
export { createBinding } from './bind-pod.ts';
export { type EvictionDependencies, evictPod } from './evict-pod.ts';
