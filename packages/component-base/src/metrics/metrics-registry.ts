import type { Counter, Gauge, Histogram, MetricDefinition, Metrics } from '@coxswain/client/observe';
import { type Collectable, CounterFamily, GaugeFamily, HistogramFamily } from './family.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { textFormat } from './text-format.ts';

/**
 * The metrics of a program: what the parts of the client count (`Metrics`), what the program registers itself, and what the
 * operating system knows of the process. Asking twice for one name gives the same metric.
 */
export class MetricsRegistry implements Metrics {
  /** No more than there are definitions in the program. */
  readonly #families = new Map<string, Collectable>();
  readonly #process: ProcessMetrics;
  /** Seconds since 1970. */
  readonly startTimeSeconds: number;

  /** `uptimeSeconds` is how long the process has run by now. */
  constructor(now: () => Date, uptimeSeconds: number = process.uptime()) {
    this.startTimeSeconds = now().getTime() / 1000 - uptimeSeconds;
    this.#process = new ProcessMetrics(this.startTimeSeconds);
  }

  counter(definition: MetricDefinition): Counter {
    const family = this.#family(definition, CounterFamily, () => new CounterFamily(definition));
    return { add: (value, ...labels) => family.with(...labels).inc(value), remove: family.delete.bind(family) };
  }

  gauge(definition: MetricDefinition): Gauge {
    const family = this.#family(definition, GaugeFamily, () => new GaugeFamily(definition));
    return { set: (value, ...labels) => family.with(...labels).set(value), remove: family.delete.bind(family) };
  }

  histogram(definition: MetricDefinition & { readonly buckets: readonly number[] }): Histogram {
    const family = this.#family(definition, HistogramFamily, () => new HistogramFamily(definition));
    return { observe: (value, ...labels) => family.with(...labels).observe(value), remove: family.delete.bind(family) };
  }

  /** From now on these are scraped too. */
  register(families: Iterable<Collectable>): void {
    for (const family of families) this.#families.set(family.name, family);
  }

  /** Everything as it is now, as Prometheus reads it. */
  text(): string {
    return textFormat([...this.#families.values(), ...this.#process.collect()]);
  }

  #family<T extends Collectable>(
    { name }: MetricDefinition,
    kind: abstract new (...args: never[]) => T,
    make: () => T,
  ): T {
    const existing = this.#families.get(name);
    if (existing instanceof kind) return existing;
    if (existing) throw new Error(`the metric ${name} is a ${existing.type}`);
    const family = make();
    this.#families.set(name, family);
    return family;
  }
}
