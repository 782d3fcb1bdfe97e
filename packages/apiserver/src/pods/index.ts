/** Binding and eviction of pods. */
export { createBinding } from './bind-pod.ts';
export { type EvictionDependencies, evictPod } from './evict-pod.ts';
