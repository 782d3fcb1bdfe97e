/**
 * The interface through which the client reports metrics, modelled after Prometheus. Names and labels are client-go's,
 * so that dashboards for Go controllers work. Any metrics library can implement it in a few lines.
 */
export interface Metrics {
  counter(definition: MetricDefinition): Counter;
  gauge(definition: MetricDefinition): Gauge;
  histogram(definition: MetricDefinition & { readonly buckets: readonly number[] }): Histogram;
}

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

interface Metric {
  /** Removes the series with these label values, because its subject no longer exists. Optional. */
  remove?(...labels: readonly string[]): void;
}

/** Label values are in the order of the definition. Defining a name twice returns the same metric. */
export interface Counter extends Metric {
  add(value: number, ...labels: readonly string[]): void;
}

export interface Gauge extends Metric {
  set(value: number, ...labels: readonly string[]): void;
}

export interface Histogram extends Metric {
  observe(value: number, ...labels: readonly string[]): void;
}

/** Discards all metrics. */
export const noMetrics: Metrics = {
  counter: () => ({ add() {} }),
  gauge: () => ({ set() {} }),
  histogram: () => ({ observe() {} }),
};
