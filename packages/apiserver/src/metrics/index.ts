/**
 * Metrics of the server for Prometheus, under upstream's names. Parts of the server get recorders from `ServerMetrics` and keep
 * them.
 *
 * No library is used: the common one takes longer to load than the rest of the server, and some microseconds for every recorded
 * value, of which a request has several.
 */
export {
  type Collectable,
  type Counter,
  CounterFamily,
  Family,
  type FamilyOptions,
  type Gauge,
  GaugeFamily,
  Histogram,
  HistogramFamily,
  type Sample,
} from '@coxswain/component-base/metrics';
export { type RequestLabels, requestLabels } from './request-labels.ts';
export { type RequestRecorder, ServerMetrics } from './server-metrics.ts';
