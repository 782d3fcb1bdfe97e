import type { Counter, Gauge, Histogram, Metrics } from '../observe/metrics.ts';
import type { InformerErrorContext } from './informer-error.ts';

const label = ['name'];
const errorPlaces: readonly InformerErrorContext['during'][] = ['list', 'watch', 'store', 'handler'];
const durationBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];
const itemBuckets = [1, 10, 100, 500, 1000, 5000, 10_000, 50_000, 100_000];

/** The reflector's metrics. Names are client-go's, except that of the errors. The label is the reflector's name. */
export class ReflectorMetrics {
  readonly lists: Counter;
  readonly listDuration: Histogram;
  readonly itemsPerList: Histogram;
  readonly watches: Counter;
  readonly shortWatches: Counter;
  readonly watchDuration: Histogram;
  readonly itemsPerWatch: Histogram;
  readonly lastResourceVersion: Gauge;
  readonly errors: Counter;

  constructor(metrics: Metrics) {
    const counter = (name: string, help: string): Counter => metrics.counter({ name, help, labels: label });
    const histogram = (name: string, help: string, buckets: readonly number[]): Histogram =>
      metrics.histogram({ name, help, labels: label, buckets });
    this.lists = counter('reflector_lists_total', 'Total number of API lists done by the reflectors');
    this.listDuration = histogram(
      'reflector_list_duration_seconds',
      'How long an API list takes to return and decode for the reflectors',
      durationBuckets,
    );
    this.itemsPerList = histogram(
      'reflector_items_per_list',
      'How many items an API list returns to the reflectors',
      itemBuckets,
    );
    this.watches = counter('reflector_watches_total', 'Total number of API watches done by the reflectors');
    this.shortWatches = counter(
      'reflector_short_watches_total',
      'Total number of short API watches done by reflectors',
    );
    this.watchDuration = histogram(
      'reflector_watch_duration_seconds',
      'How long an API watch takes to return and decode for the reflectors',
      durationBuckets,
    );
    this.itemsPerWatch = histogram(
      'reflector_items_per_watch',
      'How many items an API watch returns to the reflectors',
      itemBuckets,
    );
    this.lastResourceVersion = metrics.gauge({
      name: 'reflector_last_resource_version',
      help: 'Last resource version seen for the reflectors',
      labels: label,
    });
    this.errors = metrics.counter({
      name: 'reflector_errors_total',
      help: 'Total number of errors of the reflectors, by activity',
      labels: ['name', 'during'],
    });
  }

  /** Removes the series of a reflector that has ended. */
  forget(name: string): void {
    const { errors, ...ofName } = this;
    for (const metric of Object.values(ofName)) metric.remove?.(name);
    for (const during of errorPlaces) errors.remove?.(name, during);
  }
}
