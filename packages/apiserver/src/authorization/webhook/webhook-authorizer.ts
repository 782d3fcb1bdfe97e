import type { SubjectAccessReviewSpec } from '@coxswain/api/authorization/v1';
import { systemClock } from '@coxswain/apimachinery/clock';
import type { Logger } from '@coxswain/apimachinery/log';
import {
  type AuthorizationAttributes,
  type Authorizer,
  type Decision,
  type MatchReview,
  ReviewAuthorizer,
  type SubjectRules,
} from '@coxswain/component-base/authorization';
import type { KubeconfigWebhook } from '../../webhook/index.ts';
import { WebhookCallError } from '../../webhook/index.ts';
import { statusOf } from '../../webhook/review-status.ts';
import { type BackoffOptions, withBackoff } from '../../webhook/with-backoff.ts';
import type { AuthorizationMetrics } from './authorization-metrics.ts';

export interface WebhookAuthorizerOptions extends Omit<BackoffOptions, 'signal'> {
  readonly name: string;
  readonly webhook: KubeconfigWebhook;
  readonly version: 'v1' | 'v1beta1';
  readonly timeoutMs: number;
  /** How long decisions are cached; 0 disables the cache. */
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** The decision when a webhook call fails. */
  readonly failureDecision: 'deny' | 'no opinion';
  readonly matches?: MatchReview;
  readonly now: () => Date;
  readonly metrics?: AuthorizationMetrics;
  readonly logger: Logger;
}

/** Authorizes requests by a webhook, and caches its decisions. Must be closed. */
export class WebhookAuthorizer implements Authorizer {
  readonly #options: WebhookAuthorizerOptions;
  readonly #reviews: ReviewAuthorizer;

  constructor(options: WebhookAuthorizerOptions) {
    this.#options = options;
    this.#reviews = new ReviewAuthorizer({ ...options, review: (spec) => this.#ask(spec) });
  }

  authorize(attributes: AuthorizationAttributes): Promise<Decision> {
    return this.#reviews.authorize(attributes);
  }

  rulesFor(): Promise<SubjectRules> {
    return this.#reviews.rulesFor();
  }

  close(): void {
    this.#options.webhook.close();
  }

  async #ask(spec: SubjectAccessReviewSpec): Promise<Record<string, unknown>> {
    const { name, failureDecision, clock = systemClock, metrics, logger } = this.#options;
    let result = 'success';
    try {
      return await withBackoff(async () => {
        const start = clock.monotonic();
        try {
          const answer = await this.#call(spec);
          result = 'success';
          return answer;
        } catch (error) {
          result = resultOf(error);
          throw error;
        } finally {
          metrics?.webhookCalled(name, result, (clock.monotonic() - start) / 1000);
        }
      }, this.#options);
    } catch (error) {
      logger.error('Failed to make webhook authorizer request', error);
      if (failureDecision === 'no opinion') metrics?.webhookFailedOpen(name, result);
      throw error;
    }
  }

  async #call(spec: SubjectAccessReviewSpec): Promise<Record<string, unknown>> {
    const { webhook, version, timeoutMs } = this.#options;
    const apiVersion = `authorization.k8s.io/${version}`;
    // v1beta1 has the field `group` instead of `groups`.
    const { groups, ...rest } = spec;
    const sent = version === 'v1' ? spec : { ...rest, ...(groups && { group: groups }) };
    const review = {
      kind: 'SubjectAccessReview',
      apiVersion,
      metadata: {},
      spec: sent,
      status: { allowed: false },
    };
    return statusOf(await webhook.call(review, { timeoutMs }), 'SubjectAccessReview', apiVersion);
  }
}

function resultOf(error: unknown): string {
  if (!(error instanceof WebhookCallError)) return 'error';
  if (error.failure === 'canceled') return 'canceled';
  return error.failure === 'deadline' || error.status?.code === 504 ? 'timeout' : 'error';
}
