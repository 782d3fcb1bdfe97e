import type { CrossVersionObjectReference } from '@coxswain/api/autoscaling/v2';
import type { Selector } from '@coxswain/apimachinery/labels';

/** What was measured of one pod. Values of metrics are in thousandths everywhere. */
export interface PodMetric {
  readonly value: bigint;
  /** When, in milliseconds since 1970. */
  readonly timestamp: number;
  /** Over how long before. */
  readonly windowMs: number;
}

/** By the pods' names. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** Values of an external metric: one for each of its series. */
export type MetricSamples = readonly bigint[];

/** Where metrics come from. Every call rejects when there are none. */
export interface MetricsClient {
  /** How much of a resource the pods use, or just their containers of that name. */
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
