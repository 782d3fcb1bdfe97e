import type { SubjectAccessReview } from '@coxswain/api/authorization/v1';
import type { AuthorizationAttributes, Authorizer, Decision } from '@coxswain/component-base/authorization';
import { describe, expect, it } from 'vitest';
import { reviewLocalSubjectAccess, reviewSelfSubjectAccess, reviewSubjectAccess } from './access-review.ts';
import { reviewSelfSubject, reviewSelfSubjectRules } from './self-review.ts';

const rules = { resourceRules: [], nonResourceRules: [], incomplete: false };
function asking(answer: () => Decision) {
  const asked: AuthorizationAttributes[] = [];
  const authorizer: Authorizer = {
    async authorize(attributes) {
      asked.push(attributes);
      return answer();
    },
    rulesFor: async () => rules,
  };
  return { asked, authorizer };
}
const allow = (): Decision => ({ decision: 'allow', reason: 'because' });

describe('access reviews', () => {
  it('authorize all attributes of the spec for its subject, and keep the rest of the review', async () => {
    const { asked, authorizer } = asking(allow);
    const review: SubjectAccessReview = {
      metadata: { managedFields: [{ manager: 'm' }] },
      spec: {
        user: 'bob',
        groups: ['g'],
        uid: 'u',
        extra: { k: ['v'] },
        resourceAttributes: {
          verb: 'list',
          resource: 'pods',
          fieldSelector: { requirements: [{ key: 'a', operator: 'NotIn', values: ['b,c'] }] },
          labelSelector: {
            requirements: [
              { key: 'x', operator: 'In', values: ['1', '2'] },
              { key: 'y', operator: 'DoesNotExist' },
            ],
          },
        },
      },
    };
    expect(await reviewSubjectAccess(review, authorizer)).toEqual({
      ...review,
      status: { allowed: true, reason: 'because' },
    });
    expect(asked).toMatchObject([
      {
        user: { username: 'bob', groups: ['g'], uid: 'u', extra: { k: ['v'] } },
        apiVersion: '*',
        resourceRequest: true,
        fieldSelector: 'a!=b\\,c',
        labelSelector: 'x in (1,2),!y',
      },
    ]);
  });

  it('report a denial and an error', async () => {
    const review = { metadata: {}, spec: { nonResourceAttributes: { path: '/x', verb: 'get' } } };
    const user = { username: 'ann' };
    const denied = asking(() => ({ decision: 'deny', reason: '' }));
    const { status } = await reviewSelfSubjectAccess(review, user, denied.authorizer);
    expect(status).toEqual({ allowed: false, denied: true });
    expect(denied.asked).toMatchObject([{ user, path: '/x', verb: 'get', resourceRequest: false }]);
    const failing = asking(() => {
      throw new Error('boom');
    });
    const failed = await reviewSelfSubjectAccess(review, user, failing.authorizer);
    expect(failed.status).toEqual({ allowed: false, evaluationError: 'boom' });
  });

  it('of a LocalSubjectAccessReview must be for the namespace of the request', async () => {
    const { authorizer } = asking(allow);
    const review = { metadata: { namespace: 'a' }, spec: { user: 'x', resourceAttributes: { namespace: 'a' } } };
    expect((await reviewLocalSubjectAccess(review, 'a', authorizer)).status?.allowed).toBe(true);
    await expect(reviewLocalSubjectAccess(review, 'b', authorizer)).rejects.toMatchObject({
      code: 400,
      message: 'spec.resourceAttributes.namespace must match namespace: b',
    });
  });
});

describe('self subject reviews', () => {
  it('list the rules in a namespace, without the spec', async () => {
    const { authorizer } = asking(allow);
    const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
    authorizer.rulesFor = async () => ({ ...rules, resourceRules: [rule], incomplete: true, evaluationError: 'e' });
    const review = { metadata: { name: 'x' }, spec: { namespace: 'n' } };
    expect(await reviewSelfSubjectRules(review, { username: 'ann' }, authorizer)).toEqual({
      kind: 'SelfSubjectRulesReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: {},
      status: { resourceRules: [rule], nonResourceRules: [], incomplete: true, evaluationError: 'e' },
    });
    const nowhere = reviewSelfSubjectRules({ metadata: {}, spec: {} }, { username: 'ann' }, authorizer);
    await expect(nowhere).rejects.toMatchObject({ code: 400, message: 'no namespace on request' });
  });

  it('return the user', () => {
    const now = () => new Date('2026-11-15T11:47:34.567Z');
    const user = { username: 'alice', uid: 'uid2', groups: ['dev', 'system:authenticated'], extra: {} };
    expect(reviewSelfSubject(user, now)).toEqual({
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { creationTimestamp: '2026-11-15T11:47:34Z' },
      status: { userInfo: { username: 'alice', uid: 'uid2', groups: ['dev', 'system:authenticated'] } },
    });
  });
});
