import type { EventLoop } from '@coxswain/apimachinery/turns';
import type { AdmissionContext } from '../plugin-context.ts';
import type { WebhookMetrics } from '../webhook/webhook-metrics.ts';
import type { FindParamObjects } from './params.ts';
import type { PolicyMetrics } from './policy-metrics.ts';

/** The options of both policy plug-ins. */
export interface PolicyPluginOptions {
  readonly context: Pick<AdmissionContext, 'listers' | 'client' | 'authorizer'>;
  readonly params: FindParamObjects;
  /** Is yielded to while policies are compiled. */
  readonly eventLoop: EventLoop;
  readonly metrics: PolicyMetrics;
  /** The metrics of match conditions, which webhooks share. */
  readonly conditionMetrics: Pick<WebhookMetrics, 'conditionsEvaluated' | 'forgetPolicy'>;
}
