import type { Authorizer, Decision } from '@coxswain/component-base/authorization';

/** Asks each question once: for as long as one write takes. Expressions may repeat themselves. */
export function cachingAuthorizer(authorizer: Authorizer): Authorizer {
  const decisions = new Map<string, Promise<Decision>>();
  return {
    authorize(attributes) {
      const key = JSON.stringify(attributes);
      let decision = decisions.get(key);
      if (!decision) {
        decision = authorizer.authorize(attributes);
        decisions.set(key, decision);
      }
      return decision;
    },
    rulesFor: (user, namespace) => authorizer.rulesFor(user, namespace),
  };
}
