import type { Counter, Gauge, Histogram, MetricDefinition, Metrics } from '@coxswain/client/observe';
import { type Collectable, CounterFamily, GaugeFamily, HistogramFamily } from './family.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { textFormat } from './text-format.ts';

/**
 * The metrics of a program: those of `@coxswain/client` (`Metrics`), those that the program registers itself, and those of the operating
 * system about the process. A second request for the same name returns the same metric; for another type it throws an Error.
 */
export class MetricsRegistry implements Metrics {
  /** By name. Bounded by the number of definitions in the program. */
  readonly #families = new Map<string, Collectable>();
  readonly #process: ProcessMetrics;
  /** Seconds since 1970. */
  readonly startTimeSeconds: number;

  /** `uptimeSeconds`: how long the process has been running. */
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

  /** Adds families to the scraped ones. */
  register(families: Iterable<Collectable>): void {
    for (const family of families) this.#families.set(family.name, family);
  }

  /** The current values of all metrics in Prometheus' text format. */
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
