/**
 * Admission webhooks: MutatingAdmissionWebhook and ValidatingAdmissionWebhook. `webhook-matcher.ts` finds the webhooks
 * for a write, `admission-review.ts` has the requests and responses, and `webhook-caller.ts` processes the responses.
 */

export { celMatchConditions } from '../expressions/cel-match-conditions.ts';
export type {
  CompileMatchConditions,
  EvaluateMatchConditions,
  MatchConditionInput,
} from '../expressions/match-conditions.ts';
export { mutatingAdmissionWebhook } from './mutating-webhook.ts';
export { validatingAdmissionWebhook } from './validating-webhook.ts';
export { readWebhookAdmission, type WebhookAdmissionConfiguration } from './webhook-admission-configuration.ts';
export { WebhookMetrics } from './webhook-metrics.ts';
export type { WebhookPluginOptions } from './webhook-plugin-options.ts';
