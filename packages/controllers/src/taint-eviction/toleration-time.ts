import type { Taint, Toleration } from '@coxswain/api/core/v1';
import { toleratesTaint } from '@coxswain/component-helpers';

/** The taints that drive pods away. */
export const noExecuteTaints = (taints: readonly Taint[] | null | undefined): Taint[] =>
  (taints ?? []).filter(({ effect }) => effect === 'NoExecute');

/**
 * How many milliseconds a pod with these tolerations may stay under all of the taints: the least that any toleration
 * grants that is needed, and Infinity when there is no limit. Undefined when a taint is not tolerated at all.
 */
export function toleratedForMs(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | null | undefined,
): number | undefined {
  let least = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const toleration = tolerations?.find((one) => toleratesTaint(one, taint));
    if (!toleration) return undefined;
    least = Math.min(least, Math.max(0, Number(toleration.tolerationSeconds ?? Number.POSITIVE_INFINITY) * 1000));
  }
  return least;
}
