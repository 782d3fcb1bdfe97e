import { Quantity } from '@coxswain/apimachinery';
import type { Pod, PodSpec } from '../../../../generated/core/v1.ts';
import type { ResourceList } from '../../resources/resource-requirements.ts';
import { emptyPodSpec, regularAndInitContainers } from '../containers.ts';

export type PodQOSClass = 'BestEffort' | 'Burstable' | 'Guaranteed';

const qosResources = ['cpu', 'memory'] as const;
const zero = Quantity.of(0);

/** Returns the amount of the resource if it is positive. */
function positive(list: ResourceList | undefined, name: string): Quantity | undefined {
  const text = list?.[name];
  if (text === undefined) return undefined;
  const quantity = Quantity.parse(text);
  return quantity.sign() > 0 ? quantity : undefined;
}

/**
 * Computes the pod's quality of service class, from pod-level resources or else from those of all containers.
 * Guaranteed if cpu and memory have limits everywhere and requests are equal to them; BestEffort if there are no
 * requests and limits.
 */
export function computePodQOS(spec: PodSpec, podLevelResources = true): PodQOSClass {
  const whole = podLevelResources ? spec.resources : undefined;
  const parts = whole ? [whole] : regularAndInitContainers(spec).map((c) => c.resources ?? {});
  let everythingLimited = true;
  let asked = false;
  let equal = true;
  for (const name of qosResources) {
    let requests = zero;
    let limits = zero;
    for (const part of parts) {
      const limit = positive(part.limits, name);
      // A pod with pod-level resources but without pod-level limits counts as limited, as upstream: its containers are
      // not checked.
      if (!limit && !(whole && !hasEntries(part.limits))) everythingLimited = false;
      requests = requests.add(positive(part.requests, name) ?? zero);
      limits = limits.add(limit ?? zero);
    }
    if (requests.sign() > 0 || limits.sign() > 0) asked = true;
    if (requests.cmp(limits) !== 0) equal = false;
  }
  return !asked ? 'BestEffort' : everythingLimited && equal ? 'Guaranteed' : 'Burstable';
}

const hasEntries = (list: ResourceList | null | undefined): boolean => Object.keys(list ?? {}).length > 0;

/** Returns the class in the status, or else the one computed from the spec. */
export const podQOS = (pod: Pod): PodQOSClass => pod.status?.qosClass ?? computePodQOS(pod.spec ?? emptyPodSpec);
