import { isExtendedResourceName, podRequests } from '@coxswain/api';
import type { Node, Pod } from '@coxswain/api/core/v1';
import { Quantity } from '@coxswain/apimachinery/quantity';
import type { Rejection } from './rejection.ts';

/** A resource of which a node has too little left for a pod. Amounts of CPU are in thousandths, all others in units. */
export interface Shortage {
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

/** Returns how much of a resource a pod requests. Each pod is one of `pods`. */
export function requestOf(pod: Pod, resource: string): number {
  if (resource === 'pods') return 1;
  const quantity = podRequests(pod).get(resource);
  return quantity ? amountOf(resource, quantity) : 0;
}

const amountOf = (resource: string, quantity: Quantity): number =>
  resource === 'cpu' ? quantity.milliValue() : quantity.value();

const order = ['cpu', 'memory', 'ephemeral-storage'];
/** The place of a resource in the order in which resources are compared. */
const rank = (resource: string): number => (order.indexOf(resource) + order.length + 1) % (order.length + 1);

/** Returns the resources of which the node has too little for the pod. `others` are the pods that the node has already. */
export function shortagesOf(pod: Pod, node: Node, others: readonly Pod[]): Shortage[] {
  const allocatable = node.status?.allocatable ?? {};
  const shortages: Shortage[] = [];
  const check = (resource: string, requested: number, used: number): void => {
    const text = allocatable[resource];
    const capacity = text === undefined ? 0 : amountOf(resource, Quantity.parse(text));
    if (requested > capacity - used) shortages.push({ resource, requested, used, capacity });
  };
  check('pods', 1, others.length);
  const requests = [...podRequests(pod)].filter(
    // An extended resource that the node does not report is not checked: a scheduler extender may manage it.
    ([name, quantity]) => !quantity.isZero() && !(isExtendedResourceName(name) && allocatable[name] === undefined),
  );
  if (requests.length === 0) return shortages;
  const taken = others.map(podRequests);
  for (const [name, quantity] of requests.sort(([a], [b]) => rank(a) - rank(b))) {
    const used = taken.reduce((sum, amounts) => {
      const amount = amounts.get(name);
      return amount ? sum + amountOf(name, amount) : sum;
    }, 0);
    check(name, amountOf(name, quantity), used);
  }
  return shortages;
}

export const rejectionForShortage = ({ resource, requested, used, capacity }: Shortage): Rejection => ({
  reason: `OutOf${resource}`,
  message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
});
