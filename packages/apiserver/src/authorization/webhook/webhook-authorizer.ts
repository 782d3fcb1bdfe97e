import type { SubjectAccessReviewSpec } from '@coxswain/api/authorization/v1';
import type {
  AuthorizationAttributes,
  Authorizer,
  Decision,
  SubjectRules,
} from '@coxswain/component-base/authorization';
import { DecisionCache, reviewSpecOf } from '@coxswain/component-base/authorization';
import type { KubeconfigWebhook } from '../../webhook/index.ts';
import { WebhookCallError } from '../../webhook/index.ts';
import { statusOf } from '../../webhook/review-status.ts';
import { type BackoffOptions, withBackoff } from '../../webhook/with-backoff.ts';
import type { AuthorizationMetrics } from './authorization-metrics.ts';

/** Whether a webhook is to be asked. Throws an Error when that cannot be said. */
export type MatchReview = (spec: SubjectAccessReviewSpec) => Promise<boolean>;

export interface WebhookAuthorizerOptions extends Omit<BackoffOptions, 'signal'> {
  readonly name: string;
  readonly webhook: KubeconfigWebhook;
  readonly version: 'v1' | 'v1beta1';
  readonly timeoutMs: number;
  /** How long answers are remembered; 0: not at all. */
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** What it means that the webhook cannot be asked. */
  readonly failureDecision: 'deny' | 'no opinion';
  readonly matches?: MatchReview;
  readonly now: () => Date;
  readonly metrics?: AuthorizationMetrics;
  readonly report: (message: string, error: unknown) => void;
}

const maxRemembered = 8192;
/** What is longer was made up to fill the memory, and is not remembered. */
const maxRememberedAttributes = 10_000;

/** Asks somebody else what is allowed, and remembers the answer. To be closed. */
export class WebhookAuthorizer implements Authorizer {
  readonly #options: WebhookAuthorizerOptions;
  readonly #answers: DecisionCache<Decision>;
  readonly #underWay = new Map<string, Promise<Decision>>();

  constructor(options: WebhookAuthorizerOptions) {
    this.#options = options;
    this.#answers = new DecisionCache(maxRemembered, options.now);
  }

  async authorize(attributes: AuthorizationAttributes): Promise<Decision> {
    const { matches, failureDecision } = this.#options;
    const spec = reviewSpecOf(attributes);
    try {
      if (matches && !(await matches(spec))) return { decision: 'no opinion', reason: '' };
    } catch (error) {
      return { decision: failureDecision, reason: '', error: asError(error) };
    }
    const key = JSON.stringify(spec);
    const known = this.#answers.get(key);
    if (known) return known;
    let asked = this.#underWay.get(key);
    if (!asked) {
      asked = this.#ask(spec, key, isMemorable(attributes)).finally(() => this.#underWay.delete(key));
      this.#underWay.set(key, asked);
    }
    return asked;
  }

  async rulesFor(): Promise<SubjectRules> {
    return {
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: 'webhook authorizer does not support user rule resolution',
    };
  }

  close(): void {
    this.#options.webhook.close();
  }

  async #ask(spec: SubjectAccessReviewSpec, key: string, memorable: boolean): Promise<Decision> {
    const { name, failureDecision, authorizedTtlMs, unauthorizedTtlMs, metrics, report } = this.#options;
    let result = 'success';
    let status: Record<string, unknown>;
    try {
      status = await withBackoff(async () => {
        const start = performance.now();
        try {
          const answer = await this.#call(spec);
          result = 'success';
          return answer;
        } catch (error) {
          result = resultOf(error);
          throw error;
        } finally {
          metrics?.webhookCalled(name, result, (performance.now() - start) / 1000);
        }
      }, this.#options);
    } catch (error) {
      report('Failed to make webhook authorizer request', error);
      if (failureDecision === 'no opinion') metrics?.webhookFailedOpen(name, result);
      return { decision: failureDecision, reason: '', error: asError(error) };
    }
    const decision = decisionOf(status);
    if (memorable) this.#answers.set(key, decision, status.allowed === true ? authorizedTtlMs : unauthorizedTtlMs);
    return decision;
  }

  async #call(spec: SubjectAccessReviewSpec): Promise<Record<string, unknown>> {
    const { webhook, version, timeoutMs } = this.#options;
    const apiVersion = `authorization.k8s.io/${version}`;
    // The older version has its own word for groups.
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

function decisionOf({ allowed, denied, reason }: Record<string, unknown>): Decision {
  const because = typeof reason === 'string' ? reason : '';
  if (denied === true)
    return {
      decision: 'deny',
      reason: because,
      ...(allowed === true && {
        error: new Error('webhook subject access review returned both allow and deny response'),
      }),
    };
  return { decision: allowed === true ? 'allow' : 'no opinion', reason: because };
}

function isMemorable(attributes: AuthorizationAttributes): boolean {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name, path } = attributes;
  const all = [namespace, verb, apiGroup, apiVersion, resource, subresource, name, path];
  return all.reduce((size, text) => size + Buffer.byteLength(text), 0) < maxRememberedAttributes;
}

function resultOf(error: unknown): string {
  if (!(error instanceof WebhookCallError)) return 'error';
  if (error.failure === 'canceled') return 'canceled';
  return error.failure === 'deadline' || error.status?.code === 504 ? 'timeout' : 'error';
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
