import type { Counter, Histogram, Metrics } from '@coxswain/client';

/** The metrics of preemption, with kube-scheduler's names. */
export class PreemptionMetrics {
  readonly #attempts: Counter;
  readonly #victims: Histogram;
  readonly #executions: Counter;
  readonly #durations: Histogram;

  constructor(metrics: Metrics) {
    this.#attempts = metrics.counter({
      name: 'scheduler_preemption_attempts_total',
      help: 'Total preemption attempts in the cluster till now',
      labels: [],
    });
    this.#victims = metrics.histogram({
      name: 'scheduler_preemption_victims',
      help: 'Number of selected preemption victims',
      labels: [],
      buckets: [1, 2, 4, 8, 16, 32, 64],
    });
    this.#executions = metrics.counter({
      name: 'scheduler_preemption_goroutines_execution_total',
      help: 'Number of preemption goroutines executed.',
      labels: ['result'],
    });
    this.#durations = metrics.histogram({
      name: 'scheduler_preemption_goroutines_duration_seconds',
      help: 'Duration in seconds for running goroutines for the preemption.',
      labels: ['result'],
      buckets: Array.from({ length: 20 }, (_, i) => 0.01 * 2 ** i),
    });
  }

  attempted(): void {
    this.#attempts.add(1);
  }

  chosen(victims: number): void {
    this.#victims.observe(victims);
  }

  executed(result: 'success' | 'error', durationMs: number): void {
    this.#executions.add(1, result);
    this.#durations.observe(durationMs / 1000, result);
  }
}
