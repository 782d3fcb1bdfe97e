import { CounterFamily, HistogramFamily } from '../../metrics/index.ts';

const prefix = 'apiserver_authorization_';
const ofWebhook = ['name', 'result'];
const ofConditions = ['type', 'name'];

/** Metrics of authorizers and their webhooks, with upstream's names. */
export class AuthorizationMetrics {
  readonly #decisions = new CounterFamily({
    name: `${prefix}decisions_total`,
    help: 'Number of final decisions by authorizer.',
    labels: ['type', 'name', 'decision'],
  });
  readonly #calls = new CounterFamily({
    name: `${prefix}webhook_evaluations_total`,
    help: 'Number of calls of authorization webhooks.',
    labels: ofWebhook,
  });
  readonly #durations = new HistogramFamily({
    name: `${prefix}webhook_duration_seconds`,
    help: 'Latency of authorization webhook calls in seconds.',
    labels: ofWebhook,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  readonly #failOpen = new CounterFamily({
    name: `${prefix}webhook_evaluations_fail_open_total`,
    help: 'Number of failed authorization webhook calls that were treated as no opinion.',
    labels: ofWebhook,
  });
  readonly #conditionErrors = new CounterFamily({
    name: `${prefix}match_condition_evaluation_errors_total`,
    help: 'Number of errors in the evaluation of match conditions.',
    labels: ofConditions,
  });
  readonly #conditionExclusions = new CounterFamily({
    name: `${prefix}match_condition_exclusions_total`,
    help: 'Number of requests that match conditions excluded from a webhook.',
    labels: ofConditions,
  });
  readonly #conditionDurations = new HistogramFamily({
    name: `${prefix}match_condition_evaluation_seconds`,
    help: 'Latency of the evaluation of match conditions in seconds.',
    labels: ofConditions,
    buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
  });
  readonly families = [
    this.#decisions,
    this.#calls,
    this.#durations,
    this.#failOpen,
    this.#conditionErrors,
    this.#conditionExclusions,
    this.#conditionDurations,
  ];

  /** Returns the counters of one authorizer's decisions. Callers should keep them. */
  decisions(type: string, name: string): { readonly allowed: { inc(): void }; readonly denied: { inc(): void } } {
    return { allowed: this.#decisions.with(type, name, 'allowed'), denied: this.#decisions.with(type, name, 'denied') };
  }

  webhookCalled(name: string, result: string, seconds: number): void {
    this.#calls.with(name, result).inc();
    this.#durations.with(name, result).observe(seconds);
  }

  webhookFailedOpen(name: string, result: string): void {
    this.#failOpen.with(name, result).inc();
  }

  conditionsEvaluated(name: string, result: 'match' | 'exclusion' | 'error', seconds: number): void {
    this.#conditionDurations.with('Webhook', name).observe(seconds);
    if (result === 'exclusion') this.#conditionExclusions.with('Webhook', name).inc();
    if (result === 'error') this.#conditionErrors.with('Webhook', name).inc();
  }
}
