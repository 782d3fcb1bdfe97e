import { amountsOf, type ResourceList, resourceListOf } from '@coxswain/api';
import type { ResourceQuota, ResourceQuotaStatus } from '@coxswain/api/core/v1';

/**
 * What the status of a quota is to be, given what was counted; undefined when it says so already. What could not be
 * counted stays as it was; what is not limited is not told of.
 */
export function quotaStatus({ spec, status }: ResourceQuota, counted: ResourceList): ResourceQuotaStatus | undefined {
  const hard = resourceListOf(amountsOf(spec?.hard));
  const known = { ...status?.used, ...counted };
  const used = Object.fromEntries(Object.entries(known).filter(([name]) => Object.hasOwn(hard, name)));
  // Differs from upstream: a list that is empty is as good as none, and is not written again and again.
  return isSameList(hard, status?.hard) && isSameList(used, status?.used) ? undefined : { hard, used };
}

/** The same amounts, however they are written. */
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
