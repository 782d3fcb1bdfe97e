export { consoleLogger, type Logger, silentLogger } from './logger.ts';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type MetricDefinition,
  type Metrics,
  noMetrics,
} from './metrics.ts';
