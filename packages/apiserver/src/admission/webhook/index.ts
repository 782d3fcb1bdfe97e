/**
 * Admission by servers that somebody else runs: MutatingAdmissionWebhook and ValidatingAdmissionWebhook. Which of them a
 * write concerns is in `webhook-matcher.ts`, what they are asked in `admission-review.ts`, how their answers are taken in
 * `webhook-caller.ts`.
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
