import type { Taint, Toleration } from '@coxswain/api/core/v1';

/** True when the toleration tolerates the taint. */
export function toleratesTaint({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  // The numeric operators `Gt` and `Lt` are behind a feature gate that is off by default.
  return (!operator || operator === 'Equal') && (value ?? '') === (taint.value ?? '');
}

/** Returns the first taint with one of these effects that no toleration tolerates. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly Taint['effect'][],
): Taint | undefined {
  return taints?.find(
    (taint) => effects.includes(taint.effect) && !tolerations?.some((toleration) => toleratesTaint(toleration, taint)),
  );
}
