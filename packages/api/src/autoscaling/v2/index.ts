import type { GroupVersionBehaviour } from '../../strategy/strategy.ts';
import { setHorizontalPodAutoscalerDefaults } from './defaults.ts';
import { horizontalPodAutoscalerStrategy } from './horizontal-pod-autoscaler.ts';

export const behaviour: GroupVersionBehaviour = {
  group: 'autoscaling',
  version: 'v2',
  defaults: { HorizontalPodAutoscaler: setHorizontalPodAutoscalerDefaults },
  strategies: { HorizontalPodAutoscaler: horizontalPodAutoscalerStrategy },
};
