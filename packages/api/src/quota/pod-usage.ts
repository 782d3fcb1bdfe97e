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

/** Whether it is how quotas call a resource that nodes or device classes bring along. */
export const isExtendedQuotaName = (name: string): boolean =>
  name.startsWith(requestsPrefix) && (!isNative(name) || name.startsWith(`${requestsPrefix}${deviceClassPrefix}`));

/** What quotas call a resource of a device class when the class has no name for it. */
export const implicitQuotaName = (deviceClass: string): string => `${requestsPrefix}${deviceClassPrefix}${deviceClass}`;
export const quotaNameOf = (resource: string): string => `${requestsPrefix}${resource}`;

/** Whether pods use what a quota has under this name. */
export const isUsedByPods = (name: string): boolean =>
  fixedNames.has(name) ||
  name.startsWith(hugePagesPrefix) ||
  name.startsWith(`${requestsPrefix}${hugePagesPrefix}`) ||
  isExtendedQuotaName(name);

function isExtendedResource(name: string): boolean {
  if (name.startsWith(deviceClassPrefix)) return true;
  return !isNative(name) && !name.startsWith(requestsPrefix) && isQualifiedName(quotaNameOf(name)).length === 0;
}

/** Resources that a pod may ask for as a whole. */
const isOfPods = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith(hugePagesPrefix);

/** Whether a pod asks for such resources as a whole. */
export const asksAsAWhole = ({ spec }: Pod): boolean =>
  [spec?.resources?.requests, spec?.resources?.limits].some((list) => Object.keys(list ?? {}).some(isOfPods));

/** Requests and limits by the names that quotas have for them. */
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
 * What a pod asks for. While it is being resized, that is the most of what it is to have, what it was promised and what
 * it has; and only what it was promised and has, if more is not to be had.
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

/**
 * What a pod uses of quotas. A pod that has ended, or should have by now, is still an object, but no longer uses
 * anything else.
 */
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
