import type { Taint, Toleration } from '@coxswain/api/core/v1';

/** Whether a pod with this toleration may be on a node with the taint, as far as that taint goes. */
export function toleratesTaint({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  // Comparisons of numbers are not on by default.
  return (!operator || operator === 'Equal') && (value ?? '') === (taint.value ?? '');
}

/** The first taint with one of these effects that no toleration is for. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly Taint['effect'][],
): Taint | undefined {
  return taints?.find(
    (taint) => effects.includes(taint.effect) && !tolerations?.some((toleration) => toleratesTaint(toleration, taint)),
  );
}
