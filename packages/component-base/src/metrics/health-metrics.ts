import { type Collectable, CounterFamily, GaugeFamily } from './family.ts';

/** The metrics of `/metrics/slis`: the results of health checks. */
export class HealthMetrics {
  readonly #last = new GaugeFamily({
    name: 'kubernetes_healthcheck',
    labels: ['name', 'type'],
    help: 'Result of the last run of a health check: 1 for success, 0 for failure.',
  });
  readonly #total = new CounterFamily({
    name: 'kubernetes_healthchecks_total',
    labels: ['name', 'status', 'type'],
    help: 'Results of all runs of health checks.',
  });
  readonly families: readonly Collectable[] = [this.#last, this.#total];

  /** Records the result of a check. Fits `HealthObserver`. */
  readonly record = (check: string, type: string, error: unknown): void => {
    const ok = error === undefined;
    this.#last.with(check, type).set(ok ? 1 : 0);
    this.#total.with(check, ok ? 'success' : 'error', type).inc();
  };

  reset(): void {
    for (const family of this.families) family.reset();
  }
}
