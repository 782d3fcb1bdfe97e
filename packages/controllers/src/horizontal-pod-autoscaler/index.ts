/** Scales workloads according to their metrics. */
import type { ControllerDefinition } from '../framework/controller/controller.ts';
import { type HorizontalPodAutoscalerOptions, newAutoscaler } from './autoscaler.ts';

export type { HorizontalPodAutoscalerOptions };

export const newHorizontalPodAutoscalerController = (
  options: HorizontalPodAutoscalerOptions = {},
): ControllerDefinition => ({
  name: 'horizontal-pod-autoscaler-controller',
  aliases: ['horizontalpodautoscaling'],
  create: (context) => newAutoscaler(context, options),
});

export const horizontalPodAutoscalerController: ControllerDefinition = newHorizontalPodAutoscalerController();
