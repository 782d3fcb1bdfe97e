export { metricDescriptors, podMetrics } from './pod-metrics.ts';
export { StatsReader } from './stats-reader.ts';
