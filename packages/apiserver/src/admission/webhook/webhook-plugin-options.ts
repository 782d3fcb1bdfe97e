import type { Logger } from '@coxswain/apimachinery/log';
import type { WebhookClient } from '../../webhook/index.ts';
import type { CompileMatchConditions } from '../expressions/match-conditions.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import type { WebhookAdmissionConfiguration } from './webhook-admission-configuration.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** What both webhook plug-ins work with. */
export interface WebhookPluginOptions {
  readonly context: Pick<AdmissionContext, 'listers' | 'client'>;
  /** Closed by whoever made it. */
  readonly client: WebhookClient;
  readonly metrics: WebhookMetrics;
  readonly compileConditions: CompileMatchConditions;
  /** What the plug-in's configuration file says. */
  readonly configuration?: WebhookAdmissionConfiguration | undefined;
  readonly uuid: () => string;
  /** Hears of failures that were let pass. */
  readonly logger: Logger;
}
