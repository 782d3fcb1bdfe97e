import { aggregate } from '@coxswain/apimachinery';
import type { MatchReview } from '@coxswain/component-base/authorization';
import { aggregateMessage } from '@coxswain/component-base/authorization';
import { type KubeconfigWebhook, webhookFromKubeconfig } from '../../webhook/index.ts';
import type { AuthorizationConfiguration, WebhookConfiguration } from './authorization-configuration.ts';
import { type CompileCondition, validateAuthorizationConfiguration } from './validate-authorization-configuration.ts';

/** An authorizer of the chain that is no webhook. */
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

/** Who is asked, in order, checked and ready. Webhooks are to be closed. */
export interface PreparedAuthorization {
  readonly authorizers: readonly PreparedAuthorizer[];
  readonly options: PrepareOptions;
  /** Where it was read, with what was in there; it is read again when it changes. */
  readonly file?: { readonly path: string; readonly text: string };
}

/**
 * Checks a configuration. `required` are types that it must have. Throws an Error with all that is wrong with it, in
 * upstream's words.
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

/** Makes authorizers of a valid configuration. Throws an Error for those that cannot be had here; none is open then. */
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
  if (!known) throw new Error(`authorizer type ${type}: this server does not have it; leave it out`);
  return known;
}

async function prepareWebhook(
  name: string,
  configuration: WebhookConfiguration,
  options: PrepareOptions,
): Promise<PreparedWebhook> {
  const { type, kubeConfigFile } = configuration.connectionInfo;
  // Upstream dies of it.
  if (type === 'InClusterConfig' || kubeConfigFile === undefined)
    throw new Error(`authorizer ${name}: connectionInfo.type InClusterConfig is not allowed here: use KubeConfigFile`);
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
