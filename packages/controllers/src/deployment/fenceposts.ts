import type { Deployment } from '@coxswain/api/apps/v1';
import { getScaledValueFromIntOrPercent } from '@coxswain/apimachinery/intstr';
import { sizeOf } from './replica-sets.ts';

/** The limits of a rolling update around the desired number of pods. */
export interface Fenceposts {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

export const isRollingUpdate = ({ spec }: Deployment): boolean => spec?.strategy?.type === 'RollingUpdate';

/**
 * Resolves the limits of a rolling update. Percentages are of the desired number: surge is rounded up, unavailability down. If
 * both were zero, the update could not proceed, so one pod may then be unavailable (not surged, because a quota may forbid that).
 * Both are zero for other strategies.
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

/** The maximum number of pods at any time. */
export const maxReplicas = (deployment: Deployment): number => sizeOf(deployment) + fenceposts(deployment).maxSurge;

/** The minimum number of available pods at any time. */
export const minAvailable = (deployment: Deployment): number =>
  sizeOf(deployment) - fenceposts(deployment).maxUnavailable;
