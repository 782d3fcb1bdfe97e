/** LimitRanger: how much containers, pods and claims may ask for. Start at `limit-ranger.ts`. */
export { limitRanger } from './limit-ranger.ts';
