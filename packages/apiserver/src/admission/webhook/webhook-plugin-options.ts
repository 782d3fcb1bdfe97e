import type { Logger } from '@coxswain/apimachinery/log';
import type { WebhookClient } from '../../webhook/index.ts';
import type { CompileMatchConditions } from '../expressions/match-conditions.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import type { WebhookAdmissionConfiguration } from './webhook-admission-configuration.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** The options of both webhook plug-ins. */
export interface WebhookPluginOptions {
  readonly context: Pick<AdmissionContext, 'listers' | 'client'>;
  /** Must be closed by the caller. */
  readonly client: WebhookClient;
  readonly metrics: WebhookMetrics;
  readonly compileConditions: CompileMatchConditions;
  /** The configuration in the plug-in's configuration file. */
  readonly configuration?: WebhookAdmissionConfiguration | undefined;
  readonly uuid: () => string;
  /** Receives ignored failures. */
  readonly logger: Logger;
}
