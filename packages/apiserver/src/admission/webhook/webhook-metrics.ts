import { CounterFamily, HistogramFamily } from '../../metrics/index.ts';
import type { Operation } from '../admission.ts';

/** Upstream's names of the two plug-ins in metrics. */
export type WebhookType = 'admit' | 'validating';

export type RejectionCause = 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error';

const prefix = 'apiserver_admission_';
const ofCondition = ['name', 'kind', 'type', 'operation'];

/** Metrics of admission webhooks, with upstream's names. */
export class WebhookMetrics {
  readonly #durations = new HistogramFamily({
    name: `${prefix}webhook_admission_duration_seconds`,
    help: 'Latency of admission webhook calls in seconds.',
    labels: ['name', 'type', 'operation', 'rejected'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
  });
  readonly #requests = new CounterFamily({
    name: `${prefix}webhook_request_total`,
    help: 'Number of admission webhook calls by status code.',
    labels: ['name', 'type', 'operation', 'code', 'rejected'],
  });
  readonly #rejections = new CounterFamily({
    name: `${prefix}webhook_rejection_count`,
    help: 'Number of requests rejected by admission webhooks or failed calls.',
    labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
  });
  readonly #failOpen = new CounterFamily({
    name: `${prefix}webhook_fail_open_count`,
    help: 'Number of ignored failures of admission webhook calls.',
    labels: ['name', 'type'],
  });
  readonly #conditionErrors = new CounterFamily({
    name: `${prefix}match_condition_evaluation_errors_total`,
    help: 'Number of errors in the evaluation of match conditions.',
    labels: ofCondition,
  });
  readonly #conditionExclusions = new CounterFamily({
    name: `${prefix}match_condition_exclusions_total`,
    help: 'Number of requests that match conditions excluded from a webhook or policy.',
    labels: ofCondition,
  });
  readonly #conditionDurations = new HistogramFamily({
    name: `${prefix}match_condition_evaluation_seconds`,
    help: 'Latency of the evaluation of match conditions in seconds.',
    labels: ofCondition,
    buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
  });
  readonly families = [
    this.#durations,
    this.#requests,
    this.#rejections,
    this.#failOpen,
    this.#conditionErrors,
    this.#conditionExclusions,
    this.#conditionDurations,
  ];

  /** Deletes the metrics of all webhooks of a type except these. */
  keepOnly(type: WebhookType, names: ReadonlySet<string>): void {
    for (const family of this.families)
      family.forget(['name', 'type'], (name, ofType) => ofType === type && !names.has(name));
  }

  /** Deletes the match condition metrics of a policy that is no longer active. */
  forgetPolicy(name: string): void {
    for (const family of [this.#conditionErrors, this.#conditionExclusions, this.#conditionDurations])
      family.forget(['name', 'kind'], (ofName, kind) => kind === 'policy' && ofName === name);
  }

  /** Records a call, also one that failed before it was sent. */
  called(
    { name, type, operation }: { readonly name: string; readonly type: WebhookType; readonly operation: Operation },
    { seconds, code, rejected }: { readonly seconds: number; readonly code: number; readonly rejected: boolean },
  ): void {
    this.#durations.with(name, type, operation, String(rejected)).observe(seconds);
    this.#requests.with(name, type, operation, String(Math.min(code, 600)), String(rejected)).inc();
  }

  rejected(name: string, type: WebhookType, operation: Operation, cause: RejectionCause, code: number): void {
    this.#rejections.with(name, type, operation, cause, String(Math.min(code, 600))).inc();
  }

  failedOpen(name: string, type: WebhookType): void {
    this.#failOpen.with(name, type).inc();
  }

  conditionsEvaluated(
    name: string,
    type: WebhookType,
    operation: Operation,
    seconds: number,
    result: boolean | Error,
    kind: 'webhook' | 'policy' = 'webhook',
  ): void {
    const labels = [name, kind, kind === 'policy' ? 'validate' : type, operation];
    this.#conditionDurations.with(...labels).observe(seconds);
    if (result instanceof Error) this.#conditionErrors.with(...labels).inc();
    else if (!result) this.#conditionExclusions.with(...labels).inc();
  }
}
