import type { UserInfo } from '@coxswain/api';
import type { SelfSubjectReview } from '@coxswain/api/authentication/v1';
import type { SelfSubjectRulesReview } from '@coxswain/api/authorization/v1';
import { newBadRequest } from '@coxswain/apimachinery';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { Authorizer } from '@coxswain/component-base/authorization';

/**
 * The rules of the user in a namespace, without the spec of the review. Throws BadRequest when it names no namespace.
 */
export async function reviewSelfSubjectRules(
  review: SelfSubjectRulesReview,
  user: UserInfo,
  authorizer: Authorizer,
): Promise<SelfSubjectRulesReview> {
  const namespace = review.spec.namespace ?? '';
  if (namespace === '') throw newBadRequest('no namespace on request');
  const { resourceRules, nonResourceRules, incomplete, evaluationError } = await authorizer.rulesFor(user, namespace);
  return {
    kind: 'SelfSubjectRulesReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: {},
    status: {
      resourceRules: resourceRules.map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs: [...verbs],
        apiGroups: [...apiGroups],
        resources: [...resources],
        ...(resourceNames?.length && { resourceNames: [...resourceNames] }),
      })),
      nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({
        verbs: [...verbs],
        nonResourceURLs: [...nonResourceURLs],
      })),
      incomplete,
      ...(evaluationError && { evaluationError }),
    },
  };
}

/** The user as authenticated by the server. */
export function reviewSelfSubject(user: UserInfo, now: () => Date): SelfSubjectReview {
  const { username, uid, groups, extra } = user;
  return {
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: {
      creationTimestamp: timeFromDate(now()),
    },
    status: {
      userInfo: {
        ...(username && { username }),
        ...(uid && { uid }),
        ...(groups?.length && { groups: [...groups] }),
        ...(extra &&
          Object.keys(extra).length > 0 && {
            extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
          }),
      },
    },
  };
}
