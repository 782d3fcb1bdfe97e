import type { Authorizer, Decision } from '@coxswain/component-base/authorization';

/** Caches decisions. Must be used for one write only. Expressions may repeat checks. */
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
