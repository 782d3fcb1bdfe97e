import type { ObjectMeta } from '@coxswain/apimachinery';

/** Annotations of v1 for fields of v2 that v1 does not have. */
export const roundTripAnnotations = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
} as const;

const dropped = new Set<string>([
  ...Object.values(roundTripAnnotations),
  'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
  'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
]);

/** Removes the annotations, which have no meaning in other versions. */
export function dropRoundTripAnnotations(metadata: ObjectMeta): void {
  const entries = Object.entries(metadata.annotations ?? {});
  const kept = entries.filter(([key]) => !dropped.has(key));
  if (kept.length === entries.length) return;
  if (kept.length > 0) metadata.annotations = Object.fromEntries(kept);
  else delete metadata.annotations;
}
