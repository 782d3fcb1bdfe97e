import { podLimits, podRequests } from '@coxswain/api';
import type { Pod, PodStatus } from '@coxswain/api/core/v1';
import type { Quantity } from '@coxswain/apimachinery/quantity';

/** Returns the resources of the pod as a whole: those of the pod's spec, or else the sum of its containers' resources. */
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
