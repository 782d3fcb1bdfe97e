import type { CrossVersionObjectReference } from '@coxswain/api/autoscaling/v2';
import type { Selector } from '@coxswain/apimachinery/labels';

/** The measured value of one pod. Metric values are in thousandths everywhere. */
export interface PodMetric {
  readonly value: bigint;
  /** The time of the measurement in milliseconds since 1970. */
  readonly timestamp: number;
  /** The length of the measured period before `timestamp`. */
  readonly windowMs: number;
}

/** By pod name. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** The values of an external metric, one for each series. */
export type MetricSamples = readonly bigint[];

/** Reads metrics. Every method rejects when there are none. */
export interface MetricsClient {
  /** Returns the resource usage of the pods, or of their containers of that name. */
  resourceMetric(resource: string, namespace: string, pods: Selector, container?: string): Promise<PodMetrics>;
  podsMetric(metric: string, namespace: string, pods: Selector, series: Selector): Promise<PodMetrics>;
  objectMetric(
    metric: string,
    namespace: string,
    object: CrossVersionObjectReference,
    series: Selector,
  ): Promise<bigint>;
  externalMetric(metric: string, namespace: string, series: Selector): Promise<MetricSamples>;
}
