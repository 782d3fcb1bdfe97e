/** LimitRanger: defaults and bounds for resources of containers, pods and claims. Start at `limit-ranger.ts`. */
export { limitRanger } from './limit-ranger.ts';
