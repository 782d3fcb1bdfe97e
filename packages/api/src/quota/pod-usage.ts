import { isQualifiedName } from '@coxswain/apimachinery';
import type { Container, Pod } from '../generated/core/v1.ts';
import { type Amounts, addTo, amountsOf, raiseTo, replaceIn } from './amounts.ts';
import { containerAmounts, isSidecar, podLevelAmounts, type ResourceKind, specAmounts } from './container-amounts.ts';
import { one } from './evaluator.ts';

const requestsPrefix = 'requests.';
const hugePagesPrefix = 'hugepages-';
const deviceClassPrefix = 'deviceclass.resource.kubernetes.io/';

const fixedNames: ReadonlySet<string> = new Set([
  'count/pods',
  'pods',
  ...['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** Reports whether a quota name is that of an extended resource or of a device class. */
export const isExtendedQuotaName = (name: string): boolean =>
  name.startsWith(requestsPrefix) && (!isNative(name) || name.startsWith(`${requestsPrefix}${deviceClassPrefix}`));

/** Returns the quota name for the devices of a class that has no extendedResourceName. */
export const implicitQuotaName = (deviceClass: string): string => `${requestsPrefix}${deviceClassPrefix}${deviceClass}`;
export const quotaNameOf = (resource: string): string => `${requestsPrefix}${resource}`;

/** Reports whether pods use the resource that a quota has under this name. */
export const isUsedByPods = (name: string): boolean =>
  fixedNames.has(name) ||
  name.startsWith(hugePagesPrefix) ||
  name.startsWith(`${requestsPrefix}${hugePagesPrefix}`) ||
  isExtendedQuotaName(name);

function isExtendedResource(name: string): boolean {
  if (name.startsWith(deviceClassPrefix)) return true;
  return !isNative(name) && !name.startsWith(requestsPrefix) && isQualifiedName(quotaNameOf(name)).length === 0;
}

/** Reports whether the resource can be set at pod level. */
const isOfPods = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith(hugePagesPrefix);

/** Reports whether a pod has pod-level resources. */
export const asksAsAWhole = ({ spec }: Pod): boolean =>
  [spec?.resources?.requests, spec?.resources?.limits].some((list) => Object.keys(list ?? {}).some(isOfPods));

/** Returns requests and limits by their quota names. */
export function quotaNames(requests: Amounts, limits: Amounts): Amounts {
  const result: Amounts = new Map([['pods', one]]);
  for (const [name, amount] of requests) {
    const hasOwnName = fixedNames.has(quotaNameOf(name)) || name.startsWith(hugePagesPrefix);
    if (hasOwnName) result.set(name, amount);
    if (hasOwnName || isExtendedResource(name)) result.set(quotaNameOf(name), amount);
  }
  for (const [name, amount] of limits) if (fixedNames.has(`limits.${name}`)) result.set(`limits.${name}`, amount);
  return result;
}

/**
 * Returns the requests or limits of a pod. During a resize, a container counts with the maximum of its spec, its
 * allocated and its actual resources; without the spec if the resize is infeasible.
 */
function amountsOfPod(pod: Pod, kind: ResourceKind, podLevel: boolean): Amounts {
  const { spec = { containers: [] }, status } = pod;
  const pending = status?.conditions?.find(({ type }) => type === 'PodResizePending');
  const isInfeasible = pending?.reason === 'Infeasible';
  const statuses = new Map(
    [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].map((known) => [
      known.name,
      known,
    ]),
  );
  const fromSpec = specAmounts(kind);
  const amountsFor = (container: Container, isInit: boolean): Amounts => {
    const found = isInit && !isSidecar(container) ? undefined : statuses.get(container.name);
    if (!found?.resources) return fromSpec(container);
    const known = isInfeasible ? new Map() : fromSpec(container);
    raiseTo(known, amountsOf(found.resources[kind]));
    return kind === 'requests' ? raiseTo(known, amountsOf(found.allocatedResources)) : known;
  };
  const amounts = containerAmounts(spec, amountsFor);
  if (podLevel) replaceIn(amounts, podLevelAmounts(spec, kind, isOfPods));
  const overhead = amountsOf(spec.overhead);
  if (kind === 'requests') return addTo(amounts, overhead);
  for (const name of overhead.keys()) if (amounts.get(name)?.isZero() !== false) overhead.delete(name);
  return addTo(amounts, overhead);
}

/** Returns the quota usage of a pod. A pod that has terminated, or whose grace period is over, only counts as an object. */
export function podUsage(pod: Pod, now: Date, podLevel: boolean): Amounts {
  const count: Amounts = new Map([['count/pods', one]]);
  const { phase } = pod.status ?? {};
  if (phase === 'Failed' || phase === 'Succeeded') return count;
  const { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds } = pod.metadata;
  if (deletionTimestamp !== undefined && graceSeconds !== undefined)
    if (now.getTime() > Date.parse(deletionTimestamp) + graceSeconds * 1000) return count;
  const names = quotaNames(amountsOfPod(pod, 'requests', podLevel), amountsOfPod(pod, 'limits', podLevel));
  return addTo(count, names);
}
