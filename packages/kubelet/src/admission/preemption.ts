import { podQOS } from '@coxswain/api';
import type { Pod } from '@coxswain/api/core/v1';
import { isStaticPod } from '../static-pods/read-static-pods.ts';
import { requestOf, type Shortage } from './shortage.ts';

const systemCriticalPriority = 2_000_000_000;
const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** Returns whether other pods are terminated if the node has too few resources for the pod. */
export const isCriticalPod = (pod: Pod): boolean =>
  isStaticPod(pod) ||
  pod.metadata.annotations?.[mirrorAnnotation] !== undefined ||
  (pod.spec?.priority ?? 0) >= systemCriticalPriority;

/** How much of a resource is missing. */
interface Requirement {
  readonly resource: string;
  readonly amount: number;
}

/**
 * Returns the pods to terminate so that a critical pod has enough resources: as few as possible, with the smallest requests. Pods of a
 * higher QoS class are only chosen if those of lower classes do not free enough. Throws an Error if all of them would not.
 */
export function podsToPreempt(pod: Pod, others: readonly Pod[], shortages: readonly Shortage[]): Pod[] {
  const required = shortages.map(({ resource, requested, used, capacity }) => ({
    resource,
    amount: requested - (capacity - used),
  }));
  const preemptable = others.filter((other) => isPreemptable(pod, other));
  const ofClass = (qos: string): Pod[] => preemptable.filter((other) => podQOS(other) === qos);
  const [bestEffort, burstable, guaranteed] = [ofClass('BestEffort'), ofClass('Burstable'), ofClass('Guaranteed')];
  const impossible = without(required, [...bestEffort, ...burstable, ...guaranteed]);
  if (impossible.length > 0) throw noPodsFor(impossible);
  const guaranteedToEnd = nearest(guaranteed, without(required, [...bestEffort, ...burstable]));
  const burstableToEnd = nearest(burstable, without(required, [...bestEffort, ...guaranteedToEnd]));
  const bestEffortToEnd = nearest(bestEffort, without(required, [...burstableToEnd, ...guaranteedToEnd]));
  return [...bestEffortToEnd, ...burstableToEnd, ...guaranteedToEnd];
}

function isPreemptable(critical: Pod, other: Pod): boolean {
  if (isCriticalPod(critical) && !isCriticalPod(other)) return true;
  const [own, its] = [critical.spec?.priority, other.spec?.priority];
  return own !== undefined && its !== undefined && own > its;
}

/** Chooses the pod that frees most of what is required, repeatedly, until nothing more is required. */
function nearest(pods: readonly Pod[], requirements: readonly Requirement[]): Pod[] {
  const left = [...pods];
  const taken: Pod[] = [];
  for (let required = requirements; required.length > 0; required = without(required, taken.slice(-1))) {
    let best: { readonly pod: Pod; readonly index: number; readonly distance: number } | undefined;
    for (const [index, pod] of left.entries()) {
      const distance = distanceOf(required, pod);
      const isBetter =
        !best || distance < best.distance || (distance === best.distance && requestsNoMoreThan(pod, best.pod));
      if (isBetter) best = { pod, index, distance };
    }
    if (!best) throw noPodsFor(required);
    taken.push(best.pod);
    left.splice(best.index, 1);
  }
  return taken;
}

/** Measures how much would still be required without the pod. All resources have the same weight. */
function distanceOf(requirements: readonly Requirement[], pod: Pod): number {
  return requirements.reduce((sum, { resource, amount }) => {
    const missing = amount - requestOf(pod, resource);
    return missing > 0 ? sum + (missing / amount) ** 2 : sum;
  }, 0);
}

/** Returns what is still required after the pods have been terminated. */
const without = (requirements: readonly Requirement[], pods: readonly Pod[]): Requirement[] =>
  requirements.flatMap(({ resource, amount }) => {
    const left = pods.reduce((rest, pod) => rest - requestOf(pod, resource), amount);
    return left > 0 ? [{ resource, amount: left }] : [];
  });

function requestsNoMoreThan(a: Pod, b: Pod): boolean {
  for (const resource of ['memory', 'cpu']) {
    const difference = requestOf(a, resource) - requestOf(b, resource);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

function noPodsFor(requirements: readonly Requirement[]): Error {
  const text = requirements.map(({ resource, amount }) => `(res: ${resource}, q: ${amount}), `).join('');
  return new Error(`no set of running pods found to reclaim resources: [${text}]`);
}
