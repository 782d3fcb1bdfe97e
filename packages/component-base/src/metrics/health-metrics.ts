import { type Collectable, CounterFamily, GaugeFamily } from './family.ts';

/** What `/metrics/slis` has: the outcomes of health checks. */
export class HealthMetrics {
  readonly #last = new GaugeFamily({
    name: 'kubernetes_healthcheck',
    labels: ['name', 'type'],
    help: 'Whether a check was well when last asked.',
  });
  readonly #total = new CounterFamily({
    name: 'kubernetes_healthchecks_total',
    labels: ['name', 'status', 'type'],
    help: 'Outcomes of checks.',
  });
  readonly families: readonly Collectable[] = [this.#last, this.#total];

  /** For whoever runs checks. */
  readonly record = (check: string, type: string, error: unknown): void => {
    const ok = error === undefined;
    this.#last.with(check, type).set(ok ? 1 : 0);
    this.#total.with(check, ok ? 'success' : 'error', type).inc();
  };

  reset(): void {
    for (const family of this.families) family.reset();
  }
}
