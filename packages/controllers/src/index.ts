/**
 * `@coxswain/controllers`: kube-controller-manager. The control loops that bring a cluster to what its objects ask for,
 * each in a folder of its own; they meet the API server by `@coxswain/client` alone.
 *
 * Where to start: `framework/` is what they share.
 */
export { type Claimant, claimObjects } from './framework/owned-objects.ts';
export { byDeletionOrder } from './framework/pod-deletion-order.ts';
export { templateHash } from './framework/pod-template-hash.ts';
export { availableInMs, isPodActive, isPodAvailable, isPodReady, isPodTerminating } from './framework/pods.ts';
