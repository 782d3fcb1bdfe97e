import { podLimits, podRequests } from '@coxswain/api';
import type { Pod, PodStatus } from '@coxswain/api/core/v1';
import type { Quantity } from '@coxswain/apimachinery/quantity';

/** What the pod as a whole has of the node: what its containers ask for together, unless it says so itself. */
export function podResourcesStatus(pod: Pod): Pick<PodStatus, 'allocatedResources' | 'resources'> {
  const requests = listOf(podRequests(pod));
  const limits = listOf(podLimits(pod));
  const has = (list: object): boolean => Object.keys(list).length > 0;
  return {
    ...(has(requests) && { allocatedResources: requests }),
    resources: { ...(has(limits) && { limits }), ...(has(requests) && { requests }) },
  };
}

const listOf = (amounts: ReadonlyMap<string, Quantity>): Record<string, string> =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, String(quantity)]));
