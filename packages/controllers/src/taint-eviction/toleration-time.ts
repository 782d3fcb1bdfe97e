import type { Taint, Toleration } from '@coxswain/api/core/v1';
import { toleratesTaint } from '@coxswain/component-helpers';

/** Returns the taints with effect NoExecute. */
export const noExecuteTaints = (taints: readonly Taint[] | null | undefined): Taint[] =>
  (taints ?? []).filter(({ effect }) => effect === 'NoExecute');

/**
 * Returns how many milliseconds a pod with these tolerations may stay despite all of the taints: the shortest time of the
 * matching tolerations, Infinity without a limit. Undefined when a taint is not tolerated.
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
