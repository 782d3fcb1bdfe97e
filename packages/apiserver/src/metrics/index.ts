/**
 * What the server counts and measures, for Prometheus. `ServerMetrics` knows upstream's names; parts of the server ask it
 * for recorders and keep them.
 *
 * There is no library beneath: the usual one takes longer to load than the rest of the server and some microseconds for
 * every number recorded, of which a request has several.
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
