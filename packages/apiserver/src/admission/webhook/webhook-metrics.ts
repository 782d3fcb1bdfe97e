import { CounterFamily, HistogramFamily } from '../../metrics/index.ts';
import type { Operation } from '../admission.ts';

/** As upstream's metrics name the two plug-ins. */
export type WebhookType = 'admit' | 'validating';

export type RejectionCause = 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error';

const prefix = 'apiserver_admission_';
const ofCondition = ['name', 'kind', 'type', 'operation'];

/** What calls of admission webhooks come to, under upstream's names. */
export class WebhookMetrics {
  readonly #durations = new HistogramFamily({
    name: `${prefix}webhook_admission_duration_seconds`,
    help: 'Time that admission webhooks took, in seconds.',
    labels: ['name', 'type', 'operation', 'rejected'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
  });
  readonly #requests = new CounterFamily({
    name: `${prefix}webhook_request_total`,
    help: 'Calls of admission webhooks by status code.',
    labels: ['name', 'type', 'operation', 'code', 'rejected'],
  });
  readonly #rejections = new CounterFamily({
    name: `${prefix}webhook_rejection_count`,
    help: 'Requests that admission webhooks, or failures to call them, have refused.',
    labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
  });
  readonly #failOpen = new CounterFamily({
    name: `${prefix}webhook_fail_open_count`,
    help: 'Failures to call admission webhooks that were let pass.',
    labels: ['name', 'type'],
  });
  readonly #conditionErrors = new CounterFamily({
    name: `${prefix}match_condition_evaluation_errors_total`,
    help: 'Match conditions that could not be evaluated.',
    labels: ofCondition,
  });
  readonly #conditionExclusions = new CounterFamily({
    name: `${prefix}match_condition_exclusions_total`,
    help: 'Requests that match conditions kept from a webhook or policy.',
    labels: ofCondition,
  });
  readonly #conditionDurations = new HistogramFamily({
    name: `${prefix}match_condition_evaluation_seconds`,
    help: 'Time that match conditions took, in seconds.',
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

  /** Forgets all webhooks of a type but those of these names. */
  keepOnly(type: WebhookType, names: ReadonlySet<string>): void {
    for (const family of this.families)
      family.forget(['name', 'type'], (name, ofType) => ofType === type && !names.has(name));
  }

  /** A policy is no longer in force: what was counted of its conditions goes. */
  forgetPolicy(name: string): void {
    for (const family of [this.#conditionErrors, this.#conditionExclusions, this.#conditionDurations])
      family.forget(['name', 'kind'], (ofName, kind) => kind === 'policy' && ofName === name);
  }

  /** A webhook was called, or was to be. */
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
