import { aggregate } from '@coxswain/apimachinery';
import type { MatchReview } from '@coxswain/component-base/authorization';
import { aggregateMessage } from '@coxswain/component-base/authorization';
import { type KubeconfigWebhook, webhookFromKubeconfig } from '../../webhook/index.ts';
import type { AuthorizationConfiguration, WebhookConfiguration } from './authorization-configuration.ts';
import { type CompileCondition, validateAuthorizationConfiguration } from './validate-authorization-configuration.ts';

/** An authorizer other than a webhook. */
interface BuiltInAuthorizer {
  readonly type: BuiltInType;
  readonly name: string;
}

export interface PreparedWebhook {
  readonly type: 'Webhook';
  readonly name: string;
  readonly configuration: WebhookConfiguration;
  readonly webhook: KubeconfigWebhook;
  readonly matches?: MatchReview;
}

export type PreparedAuthorizer = BuiltInAuthorizer | PreparedWebhook;

export const builtInTypes = ['AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC'] as const;
export type BuiltInType = (typeof builtInTypes)[number];

export interface PrepareOptions {
  readonly userAgent: string;
  readonly now: () => Date;
}

/** A validated configuration with its authorizers in order. Its webhooks must be closed. */
export interface PreparedAuthorization {
  readonly authorizers: readonly PreparedAuthorizer[];
  readonly options: PrepareOptions;
  /** The configuration file with its content at start. The file is reloaded when it changes. */
  readonly file?: { readonly path: string; readonly text: string };
}

/**
 * Validates a configuration, which must contain the authorizers of `requiredTypes`. Throws an Error with all problems,
 * in upstream's messages.
 */
export async function checkAuthorizationConfiguration(
  configuration: AuthorizationConfiguration,
  requiredTypes: readonly string[] = [],
): Promise<void> {
  const conditions = configuration.authorizers.flatMap(({ webhook }) => webhook?.matchConditions ?? []);
  const compile: CompileCondition =
    conditions.length > 0 ? (await import('./review-expressions.ts')).compileReviewExpression : () => undefined;
  const errors = await validateAuthorizationConfiguration(configuration, compile);
  if (errors.length > 0) throw new Error(aggregate(errors));
  const builtIn = configuration.authorizers.filter(({ type }) => type !== 'Webhook');
  const problems = builtIn
    .filter(({ type, name }) => name !== type.toLowerCase())
    .map(({ type, name }) => `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`);
  const missing = requiredTypes.filter((type) => !builtIn.some((each) => each.type === type));
  if (missing.length > 0) problems.push(`missing required types: [${[...missing].sort().join(' ')}]`);
  if (problems.length > 0) throw new Error(aggregateMessage(problems));
}

/**
 * Creates the authorizers of a valid configuration. Throws an Error for unsupported ones, after closing all webhooks.
 */
export async function prepareAuthorizers(
  { authorizers }: AuthorizationConfiguration,
  options: PrepareOptions,
): Promise<PreparedAuthorizer[]> {
  const prepared: PreparedAuthorizer[] = [];
  try {
    for (const { type, name, webhook } of authorizers)
      prepared.push(webhook ? await prepareWebhook(name, webhook, options) : { type: builtInType(type), name });
    return prepared;
  } catch (error) {
    closeAuthorizers(prepared);
    throw error;
  }
}

export function closeAuthorizers(authorizers: readonly PreparedAuthorizer[]): void {
  for (const authorizer of authorizers) if (authorizer.type === 'Webhook') authorizer.webhook.close();
}

function builtInType(type: string): BuiltInType {
  const known = builtInTypes.find((each) => each === type);
  if (!known) throw new Error(`authorizer type ${type}: not supported by this server`);
  return known;
}

async function prepareWebhook(
  name: string,
  configuration: WebhookConfiguration,
  options: PrepareOptions,
): Promise<PreparedWebhook> {
  const { type, kubeConfigFile } = configuration.connectionInfo;
  // Upstream panics.
  if (type === 'InClusterConfig' || kubeConfigFile === undefined)
    throw new Error(`authorizer ${name}: connectionInfo.type InClusterConfig is not supported; use KubeConfigFile`);
  const matches = await matcherOf(configuration);
  const webhook = await webhookFromKubeconfig(kubeConfigFile, options);
  return { type: 'Webhook', name, configuration, webhook, ...(matches && { matches }) };
}

async function matcherOf({ matchConditions }: WebhookConfiguration): Promise<MatchReview | undefined> {
  if (matchConditions.length === 0) return undefined;
  const { compileReviewExpression, holdFor } = await import('./review-expressions.ts');
  const expressions = matchConditions.map(({ expression }) => compileReviewExpression(expression));
  return (spec) => holdFor(expressions, spec);
}
