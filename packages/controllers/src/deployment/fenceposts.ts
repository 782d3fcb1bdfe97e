import type { Deployment } from '@coxswain/api/apps/v1';
import { getScaledValueFromIntOrPercent } from '@coxswain/apimachinery/intstr';
import { sizeOf } from './replica-sets.ts';

/** How far a rolling update may go beyond and below the wanted number of pods. */
export interface Fenceposts {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

export const isRollingUpdate = ({ spec }: Deployment): boolean => spec?.strategy?.type === 'RollingUpdate';

/**
 * Percentages are of the wanted number: surge is rounded up, unavailability down. Both may come out as zero, and nothing could
 * move; then one pod may be unavailable, since surge may be what a quota forbids. A deployment that does not roll has neither.
 */
export function fenceposts(deployment: Deployment): Fenceposts {
  if (!isRollingUpdate(deployment)) return { maxSurge: 0, maxUnavailable: 0 };
  const size = sizeOf(deployment);
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = getScaledValueFromIntOrPercent(maxSurge, size, true);
  const unavailable = getScaledValueFromIntOrPercent(maxUnavailable, size, false);
  const atLeastOne = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { maxSurge: surge, maxUnavailable: Math.min(atLeastOne, size) };
}

/** The most pods there may be at any time. */
export const maxReplicas = (deployment: Deployment): number => sizeOf(deployment) + fenceposts(deployment).maxSurge;

/** The fewest pods that are to be available at any time. */
export const minAvailable = (deployment: Deployment): number =>
  sizeOf(deployment) - fenceposts(deployment).maxUnavailable;
