import type { UserInfo } from '@coxswain/api';
import { isJsonObject } from '@coxswain/apimachinery';
import type { Authenticated, TokenAuthenticator } from '@coxswain/component-base/authentication';
import { intersectAudiences, TokenCache } from '@coxswain/component-base/authentication';
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
  readonly report: (message: string, error: unknown) => void;
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
  const { cacheTtlMs, now } = options;
  const asking: TokenAuthenticator = { authenticateToken: (token, audiences) => ask(token, audiences, options) };
  return cacheTtlMs > 0 ? new TokenCache(asking, { now, ttlMs: cacheTtlMs, remembersUnknown: true }) : asking;
}

async function ask(
  token: string,
  audiences: readonly string[],
  options: TokenWebhookOptions,
): Promise<Authenticated | undefined> {
  const { webhook, version, apiAudiences, report } = options;
  const apiVersion = `authentication.k8s.io/${version}`;
  const review = {
    kind: 'TokenReview',
    apiVersion,
    metadata: { creationTimestamp: null },
    spec: { token, ...(audiences.length > 0 && { audiences }) },
    status: { user: {} },
  };
  const signal = AbortSignal.timeout(lookupTimeoutMs);
  let status: Record<string, unknown>;
  try {
    const answer = await withBackoff(() => webhook.call(review, { timeoutMs: callTimeoutMs, signal }), {
      ...options,
      signal,
    });
    status = statusOf(answer, 'TokenReview', apiVersion);
  } catch (error) {
    report('Failed to make webhook authenticator request', error);
    throw error;
  }
  const named = stringsOf(status.audiences);
  const granted = intersectAudiences(named.length > 0 ? named : apiAudiences, audiences);
  if (audiences.length > 0 && granted.length === 0) return undefined;
  if (status.authenticated === true)
    return { user: userOf(status.user), ...(audiences.length > 0 && { audiences: granted }) };
  if (typeof status.error === 'string' && status.error !== '') throw new Error(status.error);
  return undefined;
}

function userOf(value: unknown): UserInfo {
  const { username, uid, groups, extra } = isJsonObject(value) ? value : {};
  const entries = isJsonObject(extra) ? Object.entries(extra).map(([key, values]) => [key, stringsOf(values)]) : [];
  return {
    username: typeof username === 'string' ? username : '',
    ...(typeof uid === 'string' && uid !== '' && { uid }),
    ...(Array.isArray(groups) && { groups: stringsOf(groups) }),
    ...(entries.length > 0 && { extra: Object.fromEntries(entries) }),
  };
}

const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
