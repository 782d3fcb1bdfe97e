import { type Amounts, amountsOf } from '@coxswain/api';
import type { LimitRangeItem } from '@coxswain/api/core/v1';
import type { Quantity } from '@coxswain/apimachinery';

/** The amounts of one resource, and the bound. */
interface Asked {
  readonly type: string;
  readonly resource: string;
  readonly enforced: Quantity;
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
}

/** Returns the error message; undefined when the amounts are valid. */
type Constraint = (asked: Asked) => string | undefined;

const isMore = (a: Quantity | undefined, b: Quantity): boolean => a !== undefined && a.cmp(b) > 0;
const isLess = (a: Quantity | undefined, b: Quantity): boolean => a !== undefined && a.cmp(b) < 0;

export const atLeast: Constraint = ({ type, resource, enforced, request, limit }) => {
  const rule = `minimum ${resource} usage per ${type} is ${enforced}`;
  if (!request) return `${rule}.  No request is specified`;
  if (isLess(request, enforced)) return `${rule}, but request is ${request}`;
  return isLess(limit, enforced) ? `${rule}, but limit is ${limit}` : undefined;
};

export const atMost: Constraint = ({ type, resource, enforced, request, limit }) => {
  const rule = `maximum ${resource} usage per ${type} is ${enforced}`;
  if (!limit) return `${rule}.  No limit is specified`;
  if (isMore(limit, enforced)) return `${rule}, but limit is ${limit}`;
  return isMore(request, enforced) ? `${rule}, but request is ${request}` : undefined;
};

/** A maximum for objects without limits. */
export const requestAtMost: Constraint = ({ type, resource, enforced, request }) => {
  const rule = `maximum ${resource} usage per ${type} is ${enforced}`;
  if (!request) return `${rule}.  No request is specified`;
  return isMore(request, enforced) ? `${rule}, but request is ${request}` : undefined;
};

/** Above this value, the milli-value does not fit an int64. */
const maxMilliValue = (2n ** 63n - 1n) / 1000n;
const isFine = (quantity: Quantity): boolean => quantity.scaledValue(0) <= maxMilliValue;

export const ratioAtMost: Constraint = ({ type, resource, enforced, request, limit }) => {
  const rule = `${resource} max limit to request ratio per ${type} is ${enforced}`;
  if (!request || request.isZero()) return `${rule}, but no request is specified or request is 0`;
  if (!limit || limit.isZero()) return `${rule}, but no limit is specified or limit is 0`;
  const inMilli = isFine(request) && isFine(limit) && isFine(enforced);
  const ratio = inMilli ? limit.milliValue() / request.milliValue() : limit.value() / request.value();
  const exceeds = isFine(enforced) ? ratio * 1000 > enforced.milliValue() : ratio > enforced.value();
  return exceeds ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
};

export type Bound = 'min' | 'max' | 'maxLimitRequestRatio';

/** Returns messages for all violated bounds of an item. Resources are sorted by name; upstream has a random order. */
export function brokenConstraints(
  item: LimitRangeItem,
  constraints: Readonly<Partial<Record<Bound, Constraint>>>,
  asked: { readonly requests: Amounts; readonly limits: Amounts },
): string[] {
  const broken: string[] = [];
  for (const [bound, constraint] of Object.entries(constraints) as [Bound, Constraint][])
    for (const [resource, enforced] of [...amountsOf(item[bound])].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const request = asked.requests.get(resource);
      const limit = asked.limits.get(resource);
      broken.push(
        ...[constraint({ type: item.type, resource, enforced, request, limit })].flatMap((text) => text ?? []),
      );
    }
  return broken;
}
