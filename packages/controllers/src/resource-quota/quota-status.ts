import { amountsOf, type ResourceList, resourceListOf } from '@coxswain/api';
import type { ResourceQuota, ResourceQuotaStatus } from '@coxswain/api/core/v1';

/**
 * Returns the new status of a quota, or undefined when it is unchanged. Resources that could not be counted keep their previous
 * usage. Resources without a limit are omitted.
 */
export function quotaStatus({ spec, status }: ResourceQuota, counted: ResourceList): ResourceQuotaStatus | undefined {
  const hard = resourceListOf(amountsOf(spec?.hard));
  const known = { ...status?.used, ...counted };
  const used = Object.fromEntries(Object.entries(known).filter(([name]) => Object.hasOwn(hard, name)));
  // Differs from upstream: an empty list equals an absent one, so it is not written repeatedly.
  return isSameList(hard, status?.hard) && isSameList(used, status?.used) ? undefined : { hard, used };
}

/** Whether the lists have the same amounts, regardless of their format. */
export function isSameList(a: ResourceList = {}, b: ResourceList = {}): boolean {
  const [amounts, others] = [amountsOf(a), amountsOf(b)];
  return (
    amounts.size === others.size &&
    [...amounts].every(([name, amount]) => {
      const other = others.get(name);
      return other !== undefined && amount.cmp(other) === 0;
    })
  );
}
