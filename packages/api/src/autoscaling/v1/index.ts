import type { HorizontalPodAutoscaler } from '../../generated/autoscaling/v1.ts';
import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { horizontalPodAutoscalerConversion } from './conversion.ts';
import { scaleStrategy } from './scale.ts';

export {
  applyScale,
  type ScalableWorkload,
  scaleFromReplicationController,
  scaleFromWorkload,
} from './scale.ts';

/** The default metric is set on the way to v2: it depends on what an annotation says. */
function setHorizontalPodAutoscalerDefaults({ spec }: HorizontalPodAutoscaler): void {
  spec.minReplicas ??= 1;
}

export const behaviour: GroupVersionBehaviour = {
  group: 'autoscaling',
  version: 'v1',
  defaults: { HorizontalPodAutoscaler: setHorizontalPodAutoscalerDefaults },
  strategies: { Scale: scaleStrategy },
  conversions: { HorizontalPodAutoscaler: horizontalPodAutoscalerConversion },
};
