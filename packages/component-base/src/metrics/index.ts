/**
 * Metrics for Prometheus: metric families and the text format.
 *
 * No library is used: the usual one takes longer to load than the rest of a server, and some microseconds for every
 * recorded number, of which a request has several.
 */
export {
  type Collectable,
  type Counter,
  CounterFamily,
  Family,
  type FamilyOptions,
  type Gauge,
  GaugeFamily,
  goFloat,
  Histogram,
  HistogramFamily,
  type Sample,
} from './family.ts';
export { HealthMetrics } from './health-metrics.ts';
export { kubernetesBuildInfo } from './kubernetes-build-info.ts';
export { MetricsRegistry } from './metrics-registry.ts';
export { ProcessMetrics } from './process-metrics.ts';
export { textFormat } from './text-format.ts';
