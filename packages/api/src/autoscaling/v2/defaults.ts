import type { HorizontalPodAutoscaler, HPAScalingRules, MetricSpec } from '../../generated/autoscaling/v2.ts';
import { dropRoundTripAnnotations } from './round-trip-annotations.ts';

/** Returns the default metric. */
export const cpuUtilizationMetric = (averageUtilization = 80): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

const periodSeconds = 15;

/** Defaults for scaling up: by 100% or by four pods, whichever is more. */
const scaleUpDefaults = (): HPAScalingRules => ({
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds },
    { type: 'Percent', value: 100, periodSeconds },
  ],
});

/** Defaults for scaling down. The stabilization window has none: the controller decides. */
const scaleDownDefaults = (): HPAScalingRules => ({
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds }],
});

export function setHorizontalPodAutoscalerDefaults({ metadata, spec }: HorizontalPodAutoscaler): void {
  spec.minReplicas ??= 1;
  if (!spec.metrics?.length) spec.metrics = [cpuUtilizationMetric()];
  if (spec.behavior) {
    spec.behavior.scaleUp = { ...scaleUpDefaults(), ...spec.behavior.scaleUp };
    spec.behavior.scaleDown = { ...scaleDownDefaults(), ...spec.behavior.scaleDown };
  }
  dropRoundTripAnnotations(metadata);
}
