/**
 * The LimitRanger plug-in: defaults and bounds for the resources of containers, pods and claims. Start at
 * `limit-ranger.ts`.
 */
export { limitRanger } from './limit-ranger.ts';
