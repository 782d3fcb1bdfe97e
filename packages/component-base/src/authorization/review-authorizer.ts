import type { SubjectAccessReviewSpec } from '@coxswain/api/authorization/v1';
import { isJsonObject } from '@coxswain/apimachinery';
import { LruExpireCache } from '@coxswain/apimachinery/cache';
import type { AuthorizationAttributes, Authorizer, Decision, SubjectRules } from './authorizer.ts';
import { reviewSpecOf } from './subject-access-review.ts';

/** Returns whether the webhook applies to the request. Throws an Error when that cannot be evaluated. */
export type MatchReview = (spec: SubjectAccessReviewSpec) => Promise<boolean>;

export interface ReviewAuthorizerOptions {
  /** Sends a SubjectAccessReview to a remote authorizer and returns the `status` of the response. */
  readonly review: (spec: SubjectAccessReviewSpec) => Promise<unknown>;
  /** How long allowing decisions are cached; 0: not at all. */
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
  /** The decision when the review, or the evaluation of `matches`, fails. */
  readonly failureDecision: 'deny' | 'no opinion';
  readonly matches?: MatchReview;
  readonly now: () => Date;
}

const maxRemembered = 8192;
/** Decisions on longer attributes are not cached: they could be crafted to fill the memory. */
const maxRememberedAttributes = 10_000;

/** Authorizes by SubjectAccessReviews to a remote authorizer and caches the decisions. */
export class ReviewAuthorizer implements Authorizer {
  readonly #options: ReviewAuthorizerOptions;
  readonly #answers: LruExpireCache<string, Decision>;
  /** Reviews in progress. Bounded by the number of requests in progress. */
  readonly #underWay = new Map<string, Promise<Decision>>();

  constructor(options: ReviewAuthorizerOptions) {
    this.#options = options;
    this.#answers = new LruExpireCache(maxRemembered, options.now);
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

  async #ask(spec: SubjectAccessReviewSpec, key: string, memorable: boolean): Promise<Decision> {
    const { review, failureDecision, authorizedTtlMs, unauthorizedTtlMs } = this.#options;
    let answer: unknown;
    try {
      answer = await review(spec);
    } catch (error) {
      return { decision: failureDecision, reason: '', error: asError(error) };
    }
    const status = isJsonObject(answer) ? answer : {};
    const decision = decisionOf(status);
    if (memorable) this.#answers.set(key, decision, status.allowed === true ? authorizedTtlMs : unauthorizedTtlMs);
    return decision;
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

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
