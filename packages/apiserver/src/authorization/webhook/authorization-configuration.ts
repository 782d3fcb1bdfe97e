import { type Duration, durationToMs } from '@coxswain/apimachinery';
import type { ObjectReader } from '../../configuration/object-reader.ts';
import { readVersioned } from '../../configuration/read-versioned.ts';

export interface WebhookConfiguration {
  readonly authorizedTTL: Duration;
  readonly cacheAuthorizedRequests: boolean;
  readonly unauthorizedTTL: Duration;
  readonly cacheUnauthorizedRequests: boolean;
  readonly timeout: Duration;
  readonly subjectAccessReviewVersion: string;
  readonly matchConditionSubjectAccessReviewVersion: string;
  /** NoOpinion or Deny. */
  readonly failurePolicy: string;
  readonly connectionInfo: { readonly type: string; readonly kubeConfigFile?: string };
  readonly matchConditions: readonly { readonly expression: string }[];
}

interface AuthorizerConfiguration {
  readonly type: string;
  readonly name: string;
  readonly webhook?: WebhookConfiguration;
}

/** `--authorization-config`: the authorizers in their order. Empty fields are not set. */
export interface AuthorizationConfiguration {
  readonly authorizers: readonly AuthorizerConfiguration[];
}

const versions: ReadonlySet<unknown> = new Set(
  ['v1', 'v1beta1', 'v1alpha1'].map((v) => `apiserver.config.k8s.io/${v}`),
);

/** Parses the file in YAML or JSON, with defaults, unvalidated. Throws an Error when its structure is wrong. */
export function parseAuthorizationConfiguration(text: string): AuthorizationConfiguration {
  if (text === '') return { authorizers: [] };
  return readVersioned(text, 'AuthorizationConfiguration', versions, (document) => ({
    authorizers: document.objects('authorizers').map((authorizer) => {
      const webhook = authorizer.object('webhook');
      return {
        type: authorizer.string('type') ?? '',
        name: authorizer.string('name') ?? '',
        ...(webhook && { webhook: readWebhook(webhook) }),
      };
    }),
  }));
}

function readWebhook(webhook: ObjectReader): WebhookConfiguration {
  const connection = webhook.object('connectionInfo');
  const kubeConfigFile = connection?.string('kubeConfigFile');
  return {
    authorizedTTL: readDuration(webhook, 'authorizedTTL', '5m0s'),
    cacheAuthorizedRequests: webhook.boolean('cacheAuthorizedRequests') ?? true,
    unauthorizedTTL: readDuration(webhook, 'unauthorizedTTL', '30s'),
    cacheUnauthorizedRequests: webhook.boolean('cacheUnauthorizedRequests') ?? true,
    timeout: readDuration(webhook, 'timeout', '0s'),
    subjectAccessReviewVersion: webhook.string('subjectAccessReviewVersion') ?? '',
    matchConditionSubjectAccessReviewVersion: webhook.string('matchConditionSubjectAccessReviewVersion') ?? '',
    failurePolicy: webhook.string('failurePolicy') ?? '',
    connectionInfo: {
      type: connection?.string('type') ?? '',
      ...(kubeConfigFile !== undefined && { kubeConfigFile }),
    },
    matchConditions: webhook
      .objects('matchConditions')
      .map((condition) => ({ expression: condition.string('expression') ?? '' })),
  };
}

/** Zero or absent: the default. Throws an Error when it is not a duration. */
function readDuration(webhook: ObjectReader, key: string, byDefault: Duration): Duration {
  const text = webhook.string(key);
  return text === undefined || durationToMs(text) === 0 ? byDefault : text;
}
