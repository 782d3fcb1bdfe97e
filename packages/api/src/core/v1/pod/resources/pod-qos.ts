import { Quantity } from '@coxswain/apimachinery';
import type { Pod, PodSpec } from '../../../../generated/core/v1.ts';
import type { ResourceList } from '../../resources/resource-requirements.ts';
import { emptyPodSpec, regularAndInitContainers } from '../containers.ts';

export type PodQOSClass = 'BestEffort' | 'Burstable' | 'Guaranteed';

const qosResources = ['cpu', 'memory'] as const;
const zero = Quantity.of(0);

/** The amount of the resource if it is more than nothing. */
function positive(list: ResourceList | undefined, name: string): Quantity | undefined {
  const text = list?.[name];
  if (text === undefined) return undefined;
  const quantity = Quantity.parse(text);
  return quantity.sign() > 0 ? quantity : undefined;
}

/**
 * The pod's quality of service: what its resources say, or else those of all containers together. Guaranteed if
 * processor and memory are limited everywhere and requested to the same amount; BestEffort if nothing is asked for.
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
      // A pod that limits nothing itself still counts as limited: its containers are not looked at.
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

/** What the status says, or what follows from the spec. */
export const podQOS = (pod: Pod): PodQOSClass => pod.status?.qosClass ?? computePodQOS(pod.spec ?? emptyPodSpec);
