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

/** Sets the defaults of v1. The default metric depends on an annotation, so the conversion to v2 sets it. */
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
