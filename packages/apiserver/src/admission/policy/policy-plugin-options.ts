import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { AdmissionContext } from '../plugin-context.ts';
import type { WebhookMetrics } from '../webhook/webhook-metrics.ts';
import type { FindParamObjects } from './params.ts';
import type { PolicyMetrics } from './policy-metrics.ts';

/** What both policy plug-ins work with. */
export interface PolicyPluginOptions {
  readonly context: Pick<AdmissionContext, 'listers' | 'client' | 'authorizer'>;
  readonly params: FindParamObjects;
  /** Where others get their turn while policies are read. */
  readonly eventLoop: EventLoop;
  readonly metrics: PolicyMetrics;
  /** Where conditions of webhooks are counted too. */
  readonly conditionMetrics: Pick<WebhookMetrics, 'conditionsEvaluated' | 'forgetPolicy'>;
}
