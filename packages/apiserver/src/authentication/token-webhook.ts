import { childSignal } from '@coxswain/client';
import type { Logger } from '@coxswain/apimachinery/log';
import {
  type TokenAuthenticator,
  type TokenReviewQuestion,
  tokenReviewAuthenticator,
} from '@coxswain/component-base/authentication';
import type { KubeconfigWebhook } from '../webhook/index.ts';
import { statusOf } from '../webhook/review-status.ts';
import { type BackoffOptions, withBackoff } from '../webhook/with-backoff.ts';

export interface TokenWebhookOptions extends Omit<BackoffOptions, 'signal'> {
  readonly webhook: KubeconfigWebhook;
  /** `--authentication-token-webhook-version` */
  readonly version: TokenReviewVersion;
  /** `--authentication-token-webhook-cache-ttl`; 0: nothing is remembered. */
  readonly cacheTtlMs: number;
  /** What tokens are for that the webhook does not say it of. */
  readonly apiAudiences: readonly string[];
  readonly now: () => Date;
  /** Hears of calls that failed. */
  readonly logger: Logger;
}

export type TokenReviewVersion = 'v1' | 'v1beta1';
export const tokenReviewVersions: readonly TokenReviewVersion[] = ['v1', 'v1beta1'];

/** Of one call. */
const callTimeoutMs = 30_000;
/** Of all attempts together. */
const lookupTimeoutMs = 30_000;

/**
 * `--authentication-token-webhook-config-file`: asks somebody else who the bearer of a token is, and remembers the answer,
 * also that they do not know. Throws an Error when they cannot be asked, or say why a token is no good.
 */
export function tokenWebhookAuthenticator(options: TokenWebhookOptions): TokenAuthenticator {
  return tokenReviewAuthenticator({ ...options, review: (question) => call(question, options) });
}

async function call(
  spec: TokenReviewQuestion,
  { webhook, version, logger, ...backoff }: TokenWebhookOptions,
): Promise<Record<string, unknown>> {
  const apiVersion = `authentication.k8s.io/${version}`;
  const review = {
    kind: 'TokenReview',
    apiVersion,
    metadata: { creationTimestamp: null },
    spec,
    status: { user: {} },
  };
  const { clock } = backoff;
  const { signal, dispose } = childSignal({ timeoutMs: lookupTimeoutMs, ...(clock && { clock }) });
  try {
    const answer = await withBackoff(() => webhook.call(review, { timeoutMs: callTimeoutMs, signal }), {
      ...backoff,
      signal,
    });
    return statusOf(answer, 'TokenReview', apiVersion);
  } catch (error) {
    logger.error('Failed to make webhook authenticator request', error);
    throw error;
  } finally {
    dispose();
  }
}
