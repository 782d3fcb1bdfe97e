import type { UserInfo } from '@coxswain/api';
import { aggregateMessage } from './aggregate-message.ts';
import type { AuthorizationAttributes, Authorizer, Decision, SubjectRules } from './authorizer.ts';

/**
 * Tries several authorizers in order until one allows or denies. When none does, the decision combines the reasons and
 * errors of all.
 */
export class UnionAuthorizer implements Authorizer {
  readonly #authorizers: readonly Authorizer[];
  readonly #onDecision: ((authorizer: Authorizer, decision: Decision) => void) | undefined;

  /** `onDecision` is called with the authorizer that allowed or denied. */
  constructor(authorizers: readonly Authorizer[], onDecision?: (authorizer: Authorizer, decision: Decision) => void) {
    this.#authorizers = authorizers;
    this.#onDecision = onDecision;
  }

  async authorize(attributes: AuthorizationAttributes): Promise<Decision> {
    const reasons: string[] = [];
    const errors: Error[] = [];
    for (const authorizer of this.#authorizers) {
      const decision = await authorizer.authorize(attributes);
      if (decision.decision !== 'no opinion') {
        this.#onDecision?.(authorizer, decision);
        return decision;
      }
      if (decision.reason !== '') reasons.push(decision.reason);
      if (decision.error) errors.push(decision.error);
    }
    const reason = reasons.join('\n');
    if (errors.length === 0) return { decision: 'no opinion', reason };
    const message = aggregateMessage(errors.map((error) => error.message));
    return { decision: 'no opinion', reason, error: new Error(message, { cause: errors[0] }) };
  }

  async rulesFor(user: UserInfo, namespace: string): Promise<SubjectRules> {
    const all = await Promise.all(this.#authorizers.map((authorizer) => authorizer.rulesFor(user, namespace)));
    const error = aggregateMessage(all.flatMap(({ evaluationError }) => evaluationError ?? []));
    return {
      resourceRules: all.flatMap(({ resourceRules }) => resourceRules),
      nonResourceRules: all.flatMap(({ nonResourceRules }) => nonResourceRules),
      incomplete: all.some(({ incomplete }) => incomplete),
      ...(error && { evaluationError: error }),
    };
  }
}
