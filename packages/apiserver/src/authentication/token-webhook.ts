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
  /** `--authentication-token-webhook-cache-ttl`; 0 disables the cache. */
  readonly cacheTtlMs: number;
  /** The audiences of tokens for which the webhook returns none. */
  readonly apiAudiences: readonly string[];
  readonly now: () => Date;
  /** Receives failed calls. */
  readonly logger: Logger;
}

export type TokenReviewVersion = 'v1' | 'v1beta1';
export const tokenReviewVersions: readonly TokenReviewVersion[] = ['v1', 'v1beta1'];

/** For one call. */
const callTimeoutMs = 30_000;
/** For all attempts of one lookup. */
const lookupTimeoutMs = 30_000;

/**
 * Authenticates tokens by a webhook, `--authentication-token-webhook-config-file`. Caches the results, also those of
 * unknown tokens. Throws an Error when the webhook cannot be reached, or returns an error for a token.
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
