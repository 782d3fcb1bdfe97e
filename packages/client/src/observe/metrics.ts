/**
 * Where parts of the client count what they do, in the words of Prometheus. Names and labels are client-go's, so that
 * dashboards made for Go controllers fit. Any metrics library can be put behind it in a few lines.
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
  /** Forgets the series with these values: what they stand for is gone. A library that cannot may go without. */
  remove?(...labels: readonly string[]): void;
}

/** Label values come in the order of the definition. Asking twice for one name gives the same metric. */
export interface Counter extends Metric {
  add(value: number, ...labels: readonly string[]): void;
}

export interface Gauge extends Metric {
  set(value: number, ...labels: readonly string[]): void;
}

export interface Histogram extends Metric {
  observe(value: number, ...labels: readonly string[]): void;
}

/** Counts nothing. */
export const noMetrics: Metrics = {
  counter: () => ({ add() {} }),
  gauge: () => ({ set() {} }),
  histogram: () => ({ observe() {} }),
};
