import type { Logger } from '@coxswain/apimachinery/log';
import { webhookFromKubeconfig } from '../webhook/index.ts';
import { AuditLog, type AuditLogOptions, type AuditOutput, type AuditSink, allSinks } from './audit-log.ts';
import { loadAuditPolicy } from './parse-audit-policy.ts';
import { RotatingFile, type RotatingFileOptions } from './rotating-file.ts';
import { WebhookOutput, type WebhookOutputOptions } from './webhook-output.ts';
import type { Audit } from './with-audit.ts';

/** `--audit-log-*`. */
interface AuditFileOptions extends Omit<AuditLogOptions, 'output'>, Omit<RotatingFileOptions, 'logger'> {
  /** `-` is standard output. */
  readonly path: string;
}

/** `--audit-webhook-*`. */
interface AuditWebhookOptions
  extends Omit<AuditLogOptions, 'output' | 'format'>,
    Omit<WebhookOutputOptions, 'webhook'> {
  readonly configFile: string;
  readonly userAgent: string;
  readonly now: () => Date;
}

interface AuditSettings {
  readonly policyFile: string;
  /** At least one of `log` and `webhook` is set. */
  readonly log?: AuditFileOptions;
  readonly webhook?: AuditWebhookOptions;
  readonly logger: Logger;
}

/** Reads the policy and opens the outputs. Throws an Error that names the file at fault. */
export async function openAudit({ policyFile, log, webhook, logger }: AuditSettings): Promise<Audit> {
  const policy = await loadAuditPolicy(policyFile, logger);
  const sinks: AuditSink[] = [];
  try {
    if (log) {
      const output = log.path === '-' ? standardOutput : await RotatingFile.open(log);
      sinks.push(new AuditLog({ ...log, output }));
    }
    if (webhook) {
      const client = await webhookFromKubeconfig(webhook.configFile, webhook).catch((cause) => {
        throw new Error(`initializing audit webhook: ${cause.message}`, { cause });
      });
      sinks.push(
        new AuditLog({ ...webhook, format: 'json', output: new WebhookOutput({ ...webhook, webhook: client }) }),
      );
    }
  } catch (error) {
    await Promise.all(sinks.map((sink) => sink.close()));
    throw error;
  }
  return { policy, log: allSinks(sinks) };
}

const standardOutput: AuditOutput = {
  append: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    }),
  close: async () => {},
};
