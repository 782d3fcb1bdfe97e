export {
  consoleLogger,
  type LogEntry,
  type LogFields,
  type Logger,
  type LogSink,
  newLogger,
  silentLogger,
} from '@coxswain/apimachinery/log';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type MetricDefinition,
  type Metrics,
  noMetrics,
} from './metrics.ts';
